# Everything a person or CI does with this repository. `make quickstart` needs Python >= 3.11 and make, nothing else.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
SOURCES := src tests docs/conf.py

.DEFAULT_GOAL := help
.PHONY: help quickstart install test check format lint types imports docs constraints clean

help: ## what the targets do
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

# A virtual environment always has a pip of its own, also where the system's Python is closed to pip (PEP 668);
# uv comes through it, so no other installer is asked for.
$(UV):
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv

.venv/.test: pyproject.toml constraints.txt | $(UV)
	$(UV) pip install --python $(BIN)/python --require-hashes -r constraints.txt
	$(UV) pip install --python $(BIN)/python --no-deps -e .
	@touch $@

install: .venv/.test ## everything, for working on Astrolabe

test: install ## the tests, as many at a time as there are cores
	$(BIN)/python -m pytest -n auto

format: install ## write the layout that `lint` asks for
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix-only $(SOURCES)

lint: install ## layout and rules
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

types: install ## strict types, tests too
	$(BIN)/basedpyright

imports: install ## imports point down only
	$(BIN)/lint-imports

clean: ## remove what was made, the environment too
	rm -rf .venv build dist docs/_build .coverage* .pytest_cache .ruff_cache .import_linter_cache .hypothesis
