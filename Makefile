# One front door. Every target sets up what it needs, in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUNTIME := $(shell find runtime launcher -name '*.[ch]' 2>/dev/null)
C_FILES := $(RUNTIME) $(wildcard src/whence/include/whence/*.h src/whence/include/klee/*.h)

.PHONY: all demo check test test-all test-random test-real lint format bench bench-alloc bench-start soak conform site wheel clean

all: $(STAMP)

$(STAMP): pyproject.toml setup.py $(wildcard scripts/*) $(RUNTIME) $(wildcard src/whence/abi/*.py)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Fetches a real program with a publicly known heap bug, builds it with its own
# build system and CC=whence-cc, and shows the finding.
demo: $(STAMP)
	@$(BIN)/python -m whence.demo

# The tests in three tiers (docs/testing.md), among as many processes as there are processors.
# Bytecode is kept whatever the environment says: rewriting the assertions takes long.
PYTEST = PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/$(VENV)/bytecode $(BIN)/python -m pytest -n auto

# Without building programs or long proofs and random tests:
check: $(STAMP)
	$(PYTEST) -m "not build and not long and not slow and not real"

# All rules and engines, half of the corpus at one level or two:
test: $(STAMP)
	$(PYTEST) -m "not slow and not real"

# All but real programs: the corpus at every level, and whatever is slow:
test-all: $(STAMP)
	$(PYTEST) -m "not real" --hypothesis-profile=full

# The property tests on examples that no run drew before.
test-random: $(STAMP)
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=random

# Builds bzip2, zlib, lua and sqlite from source packages and runs their tests
# under whence: long.
test-real: $(STAMP)
	$(BIN)/python -m pytest -m real tests/real

lint: $(STAMP)
	$(BIN)/ruff check src tests bench runtime setup.py
	$(BIN)/mypy
	@$(BIN)/clang-format --dry-run -Werror $(C_FILES)

# Formats what lint checks.
format: $(STAMP)
	$(BIN)/clang-format -i $(C_FILES)

bench: $(STAMP)
	$(BIN)/python bench/run.py
	$(MAKE) bench-alloc

# What a start costs, beside other tools.
bench-start: $(STAMP)
	$(BIN)/python bench/start.py

# Our allocators against others, in CPU time and memory (docs/allocator.md, docs/alloc-engine.md), and what
# quarantines cost (docs/explore.md).
bench-alloc: $(STAMP)
	$(BIN)/python bench/alloc/plain.py
	$(BIN)/python bench/alloc/quarantine.py
	$(BIN)/python bench/alloc/guarded.py

# Programs of the corpus under random faults (docs/soak.md); SOAK="--seed 1 --only 7" repeats a run.
SOAK ?= --minutes 60
soak: $(STAMP)
	$(BIN)/python -m tests.soak.soak $(SOAK)

# Random programs of the calculus, judged by the machine, the rules and the engine (docs/oracle.md);
# CONFORM="--programs N --seed S" repeats a run.
CONFORM ?= --programs 2000
conform: $(STAMP)
	$(BIN)/python -m tests.oracle.conform $(CONFORM)

# The pages of docs/ as a site in build/site; a link that leads nowhere is an error.
SITE := build/site-tools
site:
	@test -x $(SITE)/bin/mkdocs || $(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5'
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --quiet --strict

# A wheel for other machines, in dist/ (README.md).
wheel: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/whence/_native
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
