# One command each. Everything runs in .venv, which is made on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-quick check format bench bench-quick bench-reading evidence docs clean

demo: $(VENV)/installed
	$(BIN)/llrcal demo --out demo --force

test: $(VENV)/installed
	$(BIN)/python -m pytest -n auto

test-quick: $(VENV)/installed
	$(BIN)/python -m pytest -n auto -m "not slow"

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --recursive src
	$(BIN)/python .ci/audit.py

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.paper_scale

bench-quick: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.paper_scale --quick

bench-reading: $(VENV)/installed
	$(BIN)/python -m benchmarks.reading

# The tables of docs/evidence.md and docs/optimizers.md.
evidence: $(VENV)/installed
	$(BIN)/python -m benchmarks.evidence
	$(BIN)/python -m benchmarks.optimizers

# docs/cli.md and the page of `llrcal --help`, from the commands.
docs: $(VENV)/installed
	$(BIN)/python -m llrcal.cli.reference
	$(BIN)/python -m tests.hostile.page

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[bench]"
	touch $@

# The stamp is newer than the files that say what to install.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[test,check]"
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
