# make run     set everything up and show the main job
# make test    set everything up and run the tests against the installed wheel
# make check   format, lint, types, tests
# make bench   benchmarks beside the peers: make bench [NAME="kendall cohen"] [QUICK=1]
# make reliability  test the guarantees at full counts: make reliability [NAME="kills flips"]
# make portable     run the numerical tests under every arithmetic of this machine: make portable [NAME=prescott]
#                   [PYTHON=python3.13], which has an environment of its own
# make docs    build the documentation site into out/site, which can be read from the disk: out/site/index.html
# make pages   write what the code blocks of README and docs/ print below them, their pictures, and the table and picture of
#              docs/choosing.md: make pages [PAGES="ranking.md votes.md"]
# make papers  run all experiments of the papers on the data of PENCHANT_DATA; write docs/papers.html (not in git),
#              docs/figures/papers.json and the table of docs/papers.md
# make example  play an example through a server: make example [NAME=leaderboard] [ARGS="--days 2"], a week of searches
#              unless named; with ARGS=--docs its figures, pictures and tables go into docs/NAME-example.md
# make gallery  draw every chart at 5, 50 and 500 items into out/gallery, from the data of PENCHANT_DATA where it is there
# make screenshots  draw every page in every state into out/screenshots, and docs/owner.png for the README
# make wheel   build dist/penchant-*.whl
# make release  build wheel and sdist from a clean checkout and try them in clean environments: lowest and newest versions
#              of the dependencies, without extras and with: make release [PYTHON=python3.13]; or, as root, in a fresh
#              Debian made by debootstrap: make release CHROOT=trixie

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCE := $(shell find src -type f -not -name '*.py[co]' -not -name '*.nb[ic]')

# uv when it is there; otherwise a plain venv, which fetches uv; otherwise pip alone.
UV = $(shell command -v uv 2>/dev/null || { test -x $(BIN)/uv && echo $(BIN)/uv; })
INSTALL = $(if $(UV),$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)

PORTABLE_VENV := $(VENV)$(if $(filter-out python3,$(PYTHON)),-$(notdir $(PYTHON)))

.PHONY: run test check format bench reliability portable docs pages papers example gallery screenshots wheel release clean

run: $(VENV)/.installed
	$(BIN)/penchant demo $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(ARGS)

check: format $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(ARGS)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet . || true

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks $(NAME) $(if $(QUICK),--quick) $(ARGS)

reliability: $(VENV)/.dev
	$(BIN)/python -m tests.reliability $(NAME) $(ARGS)

portable:
	@$(MAKE) --no-print-directory VENV=$(PORTABLE_VENV) $(PORTABLE_VENV)/.dev
	$(PORTABLE_VENV)/bin/python -m tests.portable $(NAME) $(ARGS)

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict $(ARGS)

pages: $(VENV)/.dev
	$(BIN)/python -m website.choosing
	$(BIN)/python -m tests.docs.pages $(PAGES)

papers: $(VENV)/.dev
	$(BIN)/penchant papers run --all $(ARGS)
	$(BIN)/penchant papers report docs/papers.html
	$(BIN)/penchant papers report docs/figures/papers.json
	$(BIN)/python -m benchmarks.figures

example: $(VENV)/.dev
	@rm -rf out/$(or $(NAME),search)
	$(BIN)/python -m examples.$(or $(NAME),search) $(ARGS)

gallery: $(VENV)/.dev
	$(BIN)/python -m examples.gallery $(ARGS)

screenshots: $(VENV)/.dev
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

wheel: dist/.built

release: $(VENV)/.ready
	PATH="$$PATH:$(abspath $(BIN))" $(PYTHON) -m tests.release $(if $(CHROOT),--chroot $(CHROOT))

clean:
	rm -rf $(VENV) $(VENV)-* .bench dist build out

$(VENV)/.ready:
	@$(PYTHON) -c 'import sys; sys.exit("Penchant needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": set PYTHON=python3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --allow-existing --python "$$(command -v $(PYTHON))" $(VENV); \
	else $(PYTHON) -m venv $(VENV) && { $(BIN)/python -m pip install --quiet --disable-pip-version-check uv || true; }; fi
	@touch $@

dist/.built: $(VENV)/.ready pyproject.toml README.md LICENSE $(SOURCE)
	@rm -rf dist && mkdir -p dist
	@$(if $(UV),$(UV) build --quiet --wheel --python $(BIN)/python --out-dir dist,$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .)
	@touch $@

# The wheel is put in anew whenever it changed; what it depends on is installed only when it is missing.
$(VENV)/.installed: dist/.built
	@$(INSTALL) --upgrade --force-reinstall --no-deps dist/penchant-*.whl
	@$(INSTALL) "$$(echo dist/penchant-*.whl)[serve]"
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@$(INSTALL) "$$(echo dist/penchant-*.whl)[dev]"
	@touch $@
