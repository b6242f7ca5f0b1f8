#!/bin/sh
# Everything: lint, the tests of `make test`, the slower tests, and real documents where a corpus is at hand.
set -eu
cd "$(dirname "$0")/.."

scripts/lint.sh
scripts/test.sh
for folder in engines chaos fuzz corpus browser cluster; do
    if ls "tests/$folder"/test_*.py >/dev/null 2>&1; then
        .venv/bin/python -m pytest "tests/$folder"
    fi
done
