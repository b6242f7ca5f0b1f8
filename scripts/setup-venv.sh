#!/bin/sh
# .venv in the checkout, from requirements/dev.lock by hash, with the project installed editable. Does nothing when it is current.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

stamp=$(cat requirements/dev.lock pyproject.toml | sha256sum | cut -d' ' -f1)
if [ "$(cat .venv/.current 2>/dev/null || true)" = "$stamp" ]; then
    say ".venv is current"
    exit 0
fi

python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || fail "Python 3.11 or newer is needed; install it, or name one with PYTHON=/path/to/python3"

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian and Ubuntu keep these two in a package of their own.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "installing python3-venv (apt-get)"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -q >/dev/null
        apt-get install -y -q --no-install-recommends python3-venv >/dev/null
    else
        fail "this Python has no venv module; on Debian or Ubuntu: apt-get install python3-venv"
    fi
fi

if ! [ -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi
say "installing $(grep -c '^[a-z0-9].*==' requirements/dev.lock) locked packages by hash"
.venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off --require-hashes \
    --requirement requirements/dev.lock | sed -un 's/^Collecting \([^ ]*\).*/  \1/p; s/^Successfully installed.*/  installed/p' >&2
.venv/bin/python -c 'import hatchling, fastmcp' || fail "the packages could not be installed; see the lines above"
say "installing fumehood itself (editable)"
.venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet --no-build-isolation --no-deps --editable .
printf '%s\n' "$stamp" > .venv/.current
