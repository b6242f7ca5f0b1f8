#!/bin/sh
# What `make test` runs: everything that needs no more than an engine and the two images.
set -eu
cd "$(dirname "$0")/.."
exec .venv/bin/python -m pytest tests/unit tests/docker tests/mcp "$@"
