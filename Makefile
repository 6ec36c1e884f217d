# Two commands matter: `make run` and `make test`. Both install what they need into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
JOBS ?= auto

.PHONY: run test lint types unit bench chaos audit lock release clean

run: $(VENV)/.run
	$(BIN)/python -m centerpiece run $(ARGS)

test: lint types unit

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

unit: $(VENV)/.test
	@tools/test-needs.sh
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

bench: $(VENV)/.test
	$(BIN)/python -m bench --docs docs $(ARGS)

chaos: $(VENV)/.test
	$(BIN)/python -m tests.chaos $(ARGS)

audit: $(VENV)/.test
	-$(PIP) install pip-audit
	$(BIN)/python -m tests.chaos 'known weaknesses'

lock: $(VENV)/.test
	$(PIP) install -c constraints.txt uv
	$(BIN)/python tools/lock.py

release: $(VENV)/.test
	$(BIN)/python tools/release.py

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install -c constraints.txt -e '.[test]'
	@touch $@ $(VENV)/.run
