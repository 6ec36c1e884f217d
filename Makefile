# Two commands matter: `make run` and `make test`. Both install what they need into .venv, and nothing
# anywhere else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# A plain path: the finder that it would otherwise install costs every start 7 ms.
EDITABLE := --config-settings editable_mode=compat -e
# One more than there are cores: many tests wait for a browser or for a process.
JOBS ?= $(shell echo $$(( $$(nproc) + 1 )))
# Each worker and each hub in a process of its own would compile everything again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST = PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
# Where tests wait for processes, devices and browsers.
REAL_TIME := chaos conformance deploy hal hall photo games/test_a_game_from_elsewhere.py

.PHONY: run test quick test-all lint types unit long test-needs bench chaos voice counting audit lock wheels case release base image try-image clean

run: $(VENV)/.run
	$(BIN)/python -m centerpiece run $(ARGS)

test: lint types unit

# For every save: what lives in virtual time, and so waits for nothing.
quick: JOBS := $(shell nproc)
quick: lint types
	HYPOTHESIS_PROFILE=brief $(PYTEST) -m 'not real_time and not long and not hardware' $(REAL_TIME:%=--ignore=tests/%)

# For nights and releases: every virtual game, clip and photo, and the attacks in their short form.
test-all: lint types
	$(PYTEST) -m 'not hardware'

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy
	tools/check_scripts.sh

unit: $(VENV)/.test
	@tools/test-needs.sh
	$(PYTEST)

# What only `make test-all` runs besides; LONG_UNTIL=… begins none after that second.
long: $(VENV)/.test
	$(PYTEST) -m 'long and not hardware'

# Installs Debian packages that tests are skipped without.
test-needs: $(VENV)/.test
	tools/test-needs.sh --install

bench: $(VENV)/.test
	-test -d .venv-peer || { $(PYTHON) -m venv .venv-peer && .venv-peer/bin/pip install -q mpf; } || rm -rf .venv-peer
	$(BIN)/python -m bench --docs docs $(ARGS)

chaos: $(VENV)/.test
	$(BIN)/python -m tests.chaos $(ARGS)

counting: $(VENV)/.test
	$(BIN)/python -m tests.photo $(ARGS)

# Every clip measured, an evening in each language, and a machine that listens for teens.
voice: $(VENV)/.test
	$(PIP) install -c constraints.txt $(EDITABLE) '.[test,listener]'
	$(BIN)/python -m tests.hal.voice.clip_check
	$(BIN)/python -m tests.hal.voice.listener

audit: $(VENV)/.test
	-$(PIP) install pip-audit
	$(BIN)/python -m tests.chaos 'known weaknesses'

lock: $(VENV)/.test
	$(PIP) install -c constraints.txt uv
	$(BIN)/python tools/lock_requirements.py

# The hub as an object: case, drilling templates, board, parts list. ARGS="--config F --button 24".
case: $(VENV)/.case
	$(BIN)/python -m deploy.hub build/case $(ARGS)

# The libraries that a release carries; those that must be built are built once, by emulation.
wheels: $(VENV)/.test
	tools/arm64_root.sh bookworm build/bookworm
	tools/arm64_root.sh trixie build/trixie
	$(BIN)/python tools/wheels.py build/wheels --root 3.11=build/bookworm --root 3.13=build/trixie

release: $(VENV)/.test wheels
	$(BIN)/python tools/release.py --wheels build/wheels

# What an image is built on: Debian for 64-bit ARM, or BASE=an image of Raspberry Pi OS Lite.
BASE ?= trixie

base: build/base/boot

build/base/boot:
	tools/base.sh $(BASE) build/base

image: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
image: release build/base/boot
	tools/image_root.sh build/base $(lastword $(sort $(wildcard dist/centerpiece-*.tar.gz))) build/image
	$(BIN)/python tools/image.py build/image/root \
		build/image/boot dist/centerpiece-$$($(BIN)/python -c 'import centerpiece; print(centerpiece.__version__)').img --pack

# Boots the image as an emulated Raspberry Pi 3B, and plays on it. Prints a table.
try-image: $(VENV)/.test
	tools/qemu.sh build/qemu
	test -e build/gpio-sim.ko || tools/gpio_sim.sh build/qemu build/image/root build/gpio-sim.ko
	$(BIN)/python -m tools.try_image $(lastword $(sort $(wildcard dist/centerpiece-*.img))) $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "First start: Python's packages go into $(VENV), once. This takes about a minute."
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what the hub needs ..."
	$(PIP) install -c constraints.txt $(EDITABLE) .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what the tests need ..."
	$(PIP) install -c constraints.txt $(EDITABLE) '.[test]'
	@touch $@ $(VENV)/.run

$(VENV)/.case: deploy/hub/constraints.txt $(VENV)/.test
	@echo "Installing CadQuery, almost 2 GB ..."
	$(PIP) install -c constraints.txt -c $< $(EDITABLE) '.[case]'
	@touch $@
