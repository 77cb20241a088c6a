# Two commands do everything: `make demo` shows plait at work, `make test` is what CI runs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup demo test check golden bench-callgraph clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml scripts/setup
	PYTHON="$(PYTHON)" VENV="$(VENV)" scripts/setup
	touch $@

demo: setup
	scripts/demo

test: setup
	scripts/check
	scripts/test

check: setup
	scripts/check

# Write the committed rankings and outputs anew; then read the difference.
golden: setup
	scripts/golden

# Score the call graphs on labelled cases: make bench-callgraph CASES=folder (see benchmarks/callgraph.py).
bench-callgraph: setup
	$(BIN)/python benchmarks/callgraph.py "$(CASES)"

clean:
	rm -rf $(VENV) build dist
