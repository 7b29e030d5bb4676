# From a bare clone, with Python 3.11 or newer, pip and make:
#
#   make demo        fit a pipeline across three islands' penguins and show what it cost
#   make quick       at work: lint, types, import table, a sample of every kind of test (2 minutes)
#   make docs        build the documentation site and serve it on this machine
#   make test        everything that must hold: lint, types, import table, tests, engines (30 minutes)
#
# Also: make lint, make format, make benchmarks, make clean, and the parts of make test:
# make browser (Chromium, if we may), postgres (so, too), test-current, test-docs, test-oldest, test-engines (test-flower and
# test-nvflare). tests/README.md has more.
# Another Python: make test PYTHON=python3.12

PYTHON  ?= python3
WORKERS ?= 2
PORT    ?= 8000

CURRENT := .venv
OLDEST  := .venv-oldest
FLOWER  := .venv-flower
NVFLARE := .venv-nvflare
# Python compiles what it imports by itself: most of what is installed it never does.
INSTALL := -m pip install --disable-pip-version-check --no-compile -qq
# It must keep what it compiled, or each process that a test starts would compile scikit-learn anew.
unexport PYTHONDONTWRITEBYTECODE
PYTEST  := -m pytest -n $(WORKERS) --dist worksteal --durations=10
ENGINES := tests/conformance tests/pages/test_public.py
# A core per worker: more threads of BLAS and OpenMP would wait for each other. Engines have as many as they like.
quick test-current test-oldest: export OMP_NUM_THREADS = 1

.PHONY: help demo docs site quick test environments browser test-current test-docs test-oldest test-engines test-flower test-nvflare lint format benchmarks clean postgres

help:
	@sed -n 's/^#   \{0,1\}//p; /^$$/q' Makefile

demo: $(CURRENT)/.has-demo
	@$(CURRENT)/bin/python -m fedps.demo

docs: site
	@echo "docs: http://127.0.0.1:$(PORT)/ (end it with Ctrl+C)"
	@$(CURRENT)/bin/python -m http.server --bind 127.0.0.1 --directory build/site $(PORT)

site: $(CURRENT)/.has-dev
	@echo "docs: build/site, strictly (pages, docstrings, examples)"
	@$(CURRENT)/bin/python docs/site/build.py

quick: lint
	@echo "tests: a sample of every kind ($(CURRENT))"
	@HYPOTHESIS_PROFILE=few $(CURRENT)/bin/python $(PYTEST) --quick

test: environments test-current test-docs test-oldest test-engines

# All at once, as each is made by one core, and so is lint.
environments:
	@$(MAKE) --no-print-directory --jobs=$(WORKERS) --output-sync=target \
		browser postgres $(CURRENT)/.has-dev $(FLOWER)/.has-flower $(NVFLARE)/.has-nvflare $(OLDEST)/.has-test lint

# Debian's Chromium for tests/browser, where there is none and we may install it. Those tests are skipped
# without it, and say so: nothing else needs it.
BROWSER := /usr/bin/chromium
APT     := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300

browser:
	@if [ -x $(BROWSER) ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "install: Chromium for the tests of pages"; \
		{ $(APT) update && $(APT) install -y --no-install-recommends chromium fonts-liberation; } \
			>/tmp/fedps-browser.log 2>&1 \
			|| { tail -3 /tmp/fedps-browser.log; echo "no Chromium: tests/browser is skipped"; }; \
	else echo "no $(BROWSER), and not root on Debian: tests/browser is skipped"; fi

# Debian's PostgreSQL for tests/sources, as above. Only its programs are needed: no server is started here.
postgres:
	@if ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "install: PostgreSQL for the tests of databases"; \
		{ $(APT) update && mkdir -p /etc/postgresql-common \
			&& echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf \
			&& $(APT) install -y --no-install-recommends postgresql; } \
			>/tmp/fedps-postgres.log 2>&1 \
			|| { tail -3 /tmp/fedps-postgres.log; echo "no PostgreSQL: tests of it are skipped"; }; \
	else echo "no PostgreSQL, and not root on Debian: tests of it are skipped"; fi

lint: $(CURRENT)/.has-dev
	@echo "lint: ruff, mypy, import table"
	@$(CURRENT)/bin/ruff check --quiet
	@$(CURRENT)/bin/ruff format --check --quiet
	@$(CURRENT)/bin/mypy
	@$(CURRENT)/bin/lint-imports --no-cache --no-logo

format: $(CURRENT)/.has-dev
	@$(CURRENT)/bin/ruff check --quiet --fix --exit-zero
	@$(CURRENT)/bin/ruff format
	@$(CURRENT)/bin/ruff check

test-current: $(CURRENT)/.has-dev
	@echo "tests: current versions ($(CURRENT))"
	@$(CURRENT)/bin/python $(PYTEST)

test-docs: site
	@echo "tests: the documentation site (build/site)"
	@FEDPS_SITE=build/site $(CURRENT)/bin/python -m pytest tests/site

# What the versions of others matter to. Budgets, faults, experiments, commands and pages are the same on all of
# them; and what matters to FedPS alone (how rows are split, which numbers hypothesis draws) is tried
# less often.
ON_OLDEST := $(addprefix tests/,laws twins scikit_learn scripts mistakes parts sources conformance pages/test_demo.py \
	pages/test_public.py)

test-oldest: $(OLDEST)/.has-test
	@echo "tests: oldest supported versions ($(OLDEST))"
	@FEDPS_ONE_PARTITION_IN=20 HYPOTHESIS_PROFILE=few $(OLDEST)/bin/python $(PYTEST) -m "not slow" --ignore=tests/parts/cli $(ON_OLDEST)

# The engines start processes of their own and wait for them most of the time: a file of tests is for
# one worker, and both engines are tried at once.

test-engines:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-flower test-nvflare

test-flower: $(FLOWER)/.has-flower
	@echo "tests: on Flower ($(FLOWER))"
	@$(FLOWER)/bin/python $(PYTEST) --dist loadfile $(ENGINES) -k flower

test-nvflare: $(NVFLARE)/.has-nvflare
	@echo "tests: on NVFLARE ($(NVFLARE))"
	@$(NVFLARE)/bin/python $(PYTEST) --dist loadfile $(ENGINES) -k nvflare

benchmarks: $(CURRENT)/.has-dev
	@$(CURRENT)/bin/python -m benchmarks

clean:
	rm -rf $(CURRENT) $(OLDEST) $(FLOWER) $(NVFLARE) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find benchmarks docs examples experiments src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp per installed set, so that only a change of the requirements installs anything again.

$(CURRENT)/.has-demo: pyproject.toml constraints.txt | $(CURRENT)/bin/python
	@echo "install: fedps and the demo's data into $(CURRENT)"
	@$(CURRENT)/bin/python $(INSTALL) -c constraints.txt -e '.[demo]'
	@touch $@

$(CURRENT)/.has-dev: pyproject.toml constraints.txt | $(CURRENT)/bin/python
	@echo "install: fedps and its tools into $(CURRENT)"
	@$(CURRENT)/bin/python $(INSTALL) -c constraints.txt -e '.[dev]'
	@touch $(CURRENT)/.has-demo $@

$(OLDEST)/.has-test: pyproject.toml constraints-oldest.txt | $(OLDEST)/bin/python
	@echo "install: fedps on the oldest supported versions into $(OLDEST)"
	@$(OLDEST)/bin/python $(INSTALL) -c constraints-oldest.txt -e '.[test]'
	@touch $@

$(FLOWER)/.has-flower: pyproject.toml constraints-flower.txt | $(FLOWER)/bin/python
	@echo "install: fedps and Flower into $(FLOWER)"
	@$(FLOWER)/bin/python $(INSTALL) -c constraints-flower.txt -e '.[flower,sql,test]' 'flwr[simulation]'
	@touch $@

$(NVFLARE)/.has-nvflare: pyproject.toml constraints-nvflare.txt | $(NVFLARE)/bin/python
	@echo "install: fedps and NVFLARE into $(NVFLARE)"
	@$(NVFLARE)/bin/python $(INSTALL) -c constraints-nvflare.txt -e '.[nvflare,sql,test]'
	@touch $@

$(CURRENT)/bin/python $(OLDEST)/bin/python $(FLOWER)/bin/python $(NVFLARE)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("FedPS needs Python 3.11 or newer: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(@D:/bin=)
