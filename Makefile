# What a person or CI does with this repository. It needs make and Python 3.11 or newer, nothing else.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
# Where it is set, each process compiles every library again: the tests take three times as long.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help quickstart install chromium smollm2 test check format lint types imports docs reference record constraints clean

help: ## what the targets do
	@sed -n 's/^\([a-z0-9]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

# A virtual environment has a pip of its own, also where the system's Python is closed to pip (PEP 668).
# pip wants the version and the hashes of uv in a requirements file: they are cut out of constraints.txt.
$(UV):
	$(PYTHON) -m venv .venv
	sed -n '/^uv==/,/[^\\]$$/p' constraints.txt > .venv/uv.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r .venv/uv.txt

# For users: the package and its embedded models. uv checks the hashes of a constraints file for every
# distribution that it installs, those that others bring along too, and installs no others of the file.
.venv/.user: pyproject.toml constraints.txt | $(UV)
	$(INSTALL) --constraint constraints.txt --build-constraints constraints.txt -e '.[embedded]'
	@touch $@

# For developers: exactly what the file says, nothing without a hash; `check` finds what the file lacks.
.venv/.developer: pyproject.toml constraints.txt | $(UV)
	$(INSTALL) --require-hashes -r constraints.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(UV) pip check --quiet --python $(BIN)/python
	@touch $@

# Where no source has the better weights, the small ones answer; where none has any, methods without a model run,
# and the output says which. Exit code 1 means done with gaps, which are counted and listed: no fault of make.
quickstart: .venv/.user ## install, fetch the embedded model, run the main job on bundled documents
	@$(BIN)/astrolabe models fetch qwen2.5-coder-0.5b || $(BIN)/astrolabe models fetch smollm2-135m || true
	@$(BIN)/astrolabe quickstart || [ $$? -eq 1 ]

install: .venv/.developer ## everything for working on Astrolabe

chromium: ## the browser for the page tests, from the system's package manager
	@.ci/chromium

smollm2: install ## the small model for the protocol tests, which say so where it is missing
	@$(BIN)/astrolabe models fetch smollm2-135m || true

test: install chromium smollm2 ## the tests, as many at a time as there are cores
	$(BIN)/python -m pytest -n auto $(COVERAGE)

check: COVERAGE := --cov
check: lint types imports docs test ## all that CI asks for

format: install ## write the layout that `lint` asks for
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lint: install ## layout and rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: install ## strict types, tests too
	$(BIN)/basedpyright

imports: install ## imports point down only
	$(BIN)/lint-imports

docs: install ## the documentation, made from the code where it can be; a warning is an error
	$(BIN)/python scripts/reference.py --check
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build/html

reference: install ## write the parts of the documentation that are made from the code
	$(BIN)/python scripts/reference.py

record: install ## ask the embedded model again what the quickstart shows from the record; takes half an hour and more
	$(BIN)/astrolabe models fetch qwen2.5-coder-0.5b
	$(BIN)/python scripts/record.py

constraints: | $(UV) ## pin what pyproject.toml asks for, for every platform and Python
	$(UV) pip compile --quiet --universal --generate-hashes --no-annotate --no-header --all-extras \
	  pyproject.toml --output-file constraints.txt

clean: ## remove what was made, the environment too
	rm -rf .venv .record build dist docs/_build .coverage* .pytest_cache .ruff_cache .import_linter_cache .hypothesis
