# Everything works from a clean clone: each target makes what it needs. No root, no network beyond the package index.
PYTHON ?= python3
BIN := .venv/bin
# the environment's own settings must not leak telemetry while it is being used
export DO_NOT_TRACK := 1
export SCARF_NO_ANALYTICS := 1
export GX_ANALYTICS_ENABLED := false
export DAGSTER_DISABLE_TELEMETRY := 1

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

.PHONY: run test check ui bench lock clean

run: .venv/.runtime ## ingest the example corpus, show the losses, search, make a slice
	$(BIN)/python examples/tour.py

ui: .venv/.runtime ## the Dagster UI of the home, on the loopback interface
	$(BIN)/muniment ui

test: .venv/.dev ## the whole suite; PYTEST_ARGS narrows it
	$(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

check: .venv/.dev ## static checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

.venv/.runtime: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info[:2] <= (3, 13), "Muniment needs Python 3.11 to 3.13"'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-build-isolation --editable .
	touch $@

.venv/.dev: requirements-dev.lock .venv/.runtime
	$(PIP) --require-hashes -r requirements-dev.lock
	touch $@

LOCK := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --no-strip-extras

bench: .venv/.dev ## figures of the entity layer on gold data: make bench DATA=FOLDER (about 40 minutes)
	test -n "$(DATA)" || { echo "say where the gold data is: make bench DATA=FOLDER"; exit 2; }
	for each in carb entities_ner entity_resolution ecb_plus relations; do \
		echo "== $$each"; $(BIN)/python benchmarks/$$each.py $(DATA) || exit 1; done
	for each in example_gold graph_scale rules_against_model; do \
		echo "== $$each"; $(BIN)/python benchmarks/$$each.py || exit 1; done

lock: ## pin anew from pyproject.toml; needs .venv
	$(LOCK) pyproject.toml --output-file requirements.lock
	$(LOCK) pyproject.toml --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove the environment and the example home
	rm -rf .venv .muniment examples/corpus
