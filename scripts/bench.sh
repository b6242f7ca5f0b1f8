#!/bin/sh
# Ratios, never absolute times. The reader compared with is no dependency of ours: it gets .venv-bench, from a lock, by hash.
set -eu
cd "$(dirname "$0")/.."

stamp=$(sha256sum <requirements/bench.lock | cut -d' ' -f1)
if [ "$(cat .venv-bench/.current 2>/dev/null || true)" != "$stamp" ]; then
    echo "bench: making .venv-bench with $(grep -c '==' requirements/bench.lock) locked packages" >&2
    .venv/bin/python -m venv --clear .venv-bench
    .venv-bench/bin/python -m pip install --disable-pip-version-check --no-input --quiet --require-hashes \
        --requirement requirements/bench.lock
    printf '%s\n' "$stamp" >.venv-bench/.current
fi
# Both readers run from bytecode, as an installed program does.
.venv/bin/python -m compileall -q host sandbox
PYTHONPATH=tests exec .venv/bin/python -m bench "$@"
