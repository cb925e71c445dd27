# One command each. Everything runs in .venv, which is made on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := $(VENV)-peers

.PHONY: demo test test-lowest test-newest test-versions test-in-turn test-quick check format bench bench-quick \
  fuzz nightly coverage sanitize wheel-pure evidence evidence-check release-check docs site clean

demo: $(VENV)/installed
	$(BIN)/llrcal demo --out demo --force

# Each core has a process already: threads of BLAS would only get in each other's way. Tests start
# many a program, so its bytecode is kept, wherever that is not the habit.
TESTING := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1
PYTEST := $(TESTING) $(BIN)/python -m pytest -n auto

test: $(VENV)/installed
	$(PYTEST)

# The suite with the lowest version of each dependency that pyproject.toml allows, with the newest
# that there are, and on other versions of Python, if they are installed: see .ci/versions.py.
test-lowest: $(VENV)/installed
	$(BIN)/python .ci/versions.py lowest

test-newest: $(VENV)/installed
	$(BIN)/python .ci/versions.py newest-3.11 newest-3.12 newest-3.13 newest-3.14

test-versions: $(VENV)/installed
	$(BIN)/python .ci/versions.py all

# One of them, another each day.
test-in-turn: $(VENV)/installed
	$(BIN)/python .ci/versions.py in-turn

test-quick: $(VENV)/installed
	LLRCAL_QUICK=1 $(PYTEST) -m "not slow"

check: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit --quiet --recursive src
	$(BIN)/python .ci/audit.py
	-@$(BIN)/python -m studies check
	$(MAKE) site

format: $(VENV)/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(PEERS)/installed
	$(PEERS)/bin/python -m studies.paper_scale
	$(PEERS)/bin/python -m studies.kernels

bench-quick: $(PEERS)/installed
	$(PEERS)/bin/python -m studies.paper_scale --quick
	$(PEERS)/bin/python -m studies.kernels --quick

# Every reader for FUZZ_SECONDS, led by the lines of code that inputs reach.
FUZZ_SECONDS ?= 600
fuzz: $(VENV)/installed-fuzz
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS)

# Property tests with 500 examples each.
nightly: $(VENV)/installed
	LLRCAL_NIGHTLY=1 $(BIN)/python -m pytest -n auto -m property

# The tests of the kernels, with every read and write checked by the compiler's sanitizers.
SANITIZED := build/sanitized
sanitize: $(VENV)/installed
	rm -rf $(SANITIZED)
	CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g" \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --target $(SANITIZED) .
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc \
	  $(BIN)/python -m pytest -p no:cacheprovider tests/kernels

# A wheel for every system, without kernels.
wheel-pure: $(VENV)/installed
	LLRCAL_PURE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
	  --wheel-dir dist .

# Which branches no test takes. Tests in which no file can grow fail here: coverage writes one, too.
coverage: $(VENV)/installed
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --show-missing --skip-covered

# Every study whose numbers the pages state, one on each core, and then the pages, even if a study
# failed. Some of them only: `make evidence STUDIES="one_for_all few_smooth"`. Those that compare
# with other packages run in an environment of their own; without it they are skipped.
evidence: $(VENV)/installed
	-$(MAKE) $(PEERS)/installed
	$(BIN)/python -m studies run $(STUDIES); failed=$$?; $(BIN)/python -m studies fill && exit $$failed

# The studies whose code has changed since they were run.
evidence-check: $(VENV)/installed
	$(BIN)/python -m studies check

# What a release needs beyond `make check` and `make test`: no number of older code, and the suite
# with other versions. A job does this for every tag.
release-check: evidence-check test-versions

# docs/cli.md, the schemas and docs/studies/hostile.md from the code; the figures of
# docs/how-it-works.md; outputs and figures of the pages that docs/figures/notebook.py lists.
docs: $(VENV)/installed
	$(BIN)/python docs/cli.py
	$(BIN)/python docs/schemas.py
	$(BIN)/python -m tests.hostile.page
	$(BIN)/python docs/figures/how_it_works.py
	$(BIN)/python docs/figures/notebook.py --write

# The documentation as a site: build/site/index.html. Warnings are errors; links are followed, and
# pages opened in a browser.
site: $(VENV)/installed
	$(BIN)/python docs/site.py build/site
	LLRCAL_SITE=build/site $(BIN)/python -m pytest --quiet tests/test_site.py

# The stamp is newer than the files that say what to install. The kernels are built along with it
# where there is a compiler.
KERNELS := setup.py $(wildcard src/llrcal/kernels/*.[ch])

# Other packages want other versions than ours are tested with, and are many: not in $(VENV).
$(PEERS)/installed: pyproject.toml studies/peers-constraints.txt $(KERNELS)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint studies/peers-constraints.txt --editable ".[peers]"
	touch $@

$(VENV)/installed-fuzz: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[fuzz]"
	touch $@

$(VENV)/installed: pyproject.toml constraints.txt $(KERNELS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable ".[test,check]"
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-newest-* $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist \
	  src/llrcal/kernels/*.so
