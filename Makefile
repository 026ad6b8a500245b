# Every target is a stage of .ci/run, so that a developer and CI run the same commands.
# The tools are installed once, into build/ci.
export TOKSTREAM_CI_DIR ?= build/ci

STAGES = tools format lint rust-format rust-lint wheel integrations types rust-test fuzz bench instructions run test

.PHONY: all fix $(STAGES)

all: $(STAGES)

$(STAGES):
	.ci/run $@

# Not a stage: changes files.
fix:
	.ci/run tools
	build/ci/tools/bin/python -m ruff check --fix-only --quiet
	build/ci/tools/bin/python -m ruff format
	cargo fmt --all
