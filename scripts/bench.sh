#!/bin/sh
# Ratios, never absolute times, in a virtual environment of its own: the readers compared with are no dependency of ours.
set -eu
cd "$(dirname "$0")/.."
if ! [ -f tests/bench/__main__.py ]; then
    echo "bench: tests/bench has no benchmark yet" >&2
    exit 0
fi
exec .venv/bin/python tests/bench "$@"
