# What the README, contributors and the gate (.ci/run) run. `make` lists it.
# `make test PYTHON=python3.13` takes another interpreter for .venv.
PYTHON ?= python
BIN := .venv/bin
STACK := tests/app tests/diagnostics tests/estimators tests/laws/test_counts.py tests/laws/test_exact.py tests/plots tests/ppl tests/running tests/test_startup.py

.PHONY: help demo test install lint format short stack slow fuzz hours ui notebooks data mutations docs dist gate clean

help: ## this list
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.* ## (.*)/  make \1\t\2/' | expand -t 18

# --- the README's two commands: a newcomer's first steps, from nothing but Python -----------------------------------------

demo: ## install the package and fit the bundled corpus
	$(PYTHON) -m venv .venv && $(BIN)/pip install . && $(BIN)/jaxlda demo

test: ## install it with everything and run the short tests
	$(PYTHON) -m venv .venv && $(BIN)/pip install -e ".[all]" && $(BIN)/python -m pytest -n 2 --dist worksteal

# --- the rest needs an installed .venv ------------------------------------------------------------------------------------

install: ## everything, editable
	$(PYTHON) -m venv .venv && $(BIN)/pip install -e ".[all]"

lint: ## style, formatting, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: ## mend style and formatting
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

short: ## the short tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

stack: ## the short tests of rooms that meet JAX, NumPyro, ArviZ and Panel, with shapes in signatures checked
	JAXLDA_SHAPES=1 $(BIN)/python -m pytest -n 2 --dist worksteal $(STACK)

slow: ## the long laws: calibration, planted defects, killed processes
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not ui and not hours" --durations=25

hours: ## the laws of all kernels, and false alarms of the verdict over the whole grid
	$(BIN)/python -m pytest -n 2 --dist worksteal -m hours

fuzz: ## a hundred thousand damaged files for each reader, and of models and runs
	$(BIN)/python -m pytest -n 2 --dist worksteal -m fuzz

ui: ## the dashboard in a browser; needs Chromium
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "ui and not hours" tests/ui --reruns 2 --durations=10

notebooks: ## every notebook, executed
	$(BIN)/python -m pytest -n 2 --dist worksteal -m notebooks tests/notebooks

data: ## the paper's claims on the corpora of JAXLDA_DATA: hours
	$(BIN)/python -m pytest -m data

mutations: ## plant defects and see which tests notice: about an hour
	$(BIN)/python -m tests.mutations

docs: ## the site, in docs/_build/html
	$(BIN)/python -m docs

dist: ## source distribution and, made from it, the wheel, in dist/
	$(BIN)/python -m build

gate: ## all that must pass, in fresh environments
	.ci/run

clean: ## remove what these commands made, but .venv
	rm -rf build dist docs/_build rendered jaxlda-demo.html .pytest_cache .mypy_cache .ruff_cache .hypothesis
