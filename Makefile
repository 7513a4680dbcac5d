# Two commands: `make demo` and `make test`. Both need Python 3.11 or 3.12 and a package registry, nothing else.
SUITABLE := import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))
# The first that runs: a name on the path may be a shim of a version that is not there.
PYTHON ?= $(shell for name in python3 python3.12 python3.11; do \
	$$name -c '$(SUITABLE)' 2>/dev/null && echo $$name && break; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check install install-dev clean

demo: $(VENV)/.installed
	$(BIN)/kg demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy scripts benchmarks
	$(BIN)/lint-imports

install: $(VENV)/.installed

install-dev: $(VENV)/.installed-dev

$(BIN)/python:
	@[ -n "$(PYTHON)" ] && $(PYTHON) -c '$(SUITABLE)' 2>/dev/null || \
	  { echo "error: Python 3.11 or 3.12 with its venv module is needed. Install one, or run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing (about 1.4 GB, a minute or two) …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) .kg
