# Two commands are enough: `make demo` and `make test`. Each step below says what it does and is skipped when it is done.
.DEFAULT_GOAL := help
.PHONY: help setup engine image test-image demo test test-all lint bench lock clean

PY := .venv/bin/python

help: ## what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## .venv from the lock, with the project in it
	@scripts/setup-venv.sh

engine: setup ## a container engine that answers; installed and started where that may be done
	@$(PY) scripts/engine.py

image: engine ## the sandbox image, built with no network
	@.venv/bin/fumehood image build >/dev/null

test-image: image
	@.venv/bin/fumehood image build --image test >/dev/null

demo: image ## a document through the sandbox, on the screen; FILE=path takes your own
	@$(PY) scripts/demo.py

test: test-image ## unit, docker and mcp tests
	@scripts/test.sh

test-all: test-image ## the same, and everything slower: corpus, fuzz and chaos, lint
	@scripts/test-all.sh

lint: setup ## format, lint, types, import rules
	@scripts/lint.sh

bench: image ## ratios against other readers, in an environment of its own
	@scripts/bench.sh

lock: setup ## images/lock.json after a change of the image's recipe
	@$(PY) scripts/lock.py

clean: ## what these commands made in the checkout; images and the engine stay
	rm -rf .venv .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
