#!/bin/sh
# Format, lint, types, and the rules of who may import whom.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/ruff format --check .
.venv/bin/ruff check .
.venv/bin/mypy
if grep -q '^\[tool.importlinter\]' pyproject.toml; then
    .venv/bin/lint-imports
fi
