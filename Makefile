# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The two commands of a newcomer, `make demo` and `make test`, and the checks of a developer.
# Everything real is in CMake and scripts/.
BUILD ?= build
JOBS ?= $(shell nproc)
MODEL ?= dlrm
CMAKE_FLAGS ?=

CHECKS := format layers words web tidy tsan asan
# Many tests wait for processes.
TEST_JOBS ?= $(shell echo $$((3 * $(JOBS))))

.PHONY: all demo test test-fleet wheel quick packages build deps deps-ci check $(CHECKS:%=check-%) format clean help

all: build

help:
	@echo "make demo    install what is missing, build what it runs, capture (or replay) a training step and show its kernels"
	@echo "make test    install what is missing, build, run all tests that need no GPU"
	@echo "make quick DIR=analyzers/ops  build and run what an edit there breaks first"
	@echo "make test-fleet  install the engines of prof-fleet, and run its tests"
	@echo "make wheel   what pip installs, in dist/, of what \`make demo\` builds and a little more"
	@echo "make packages  a wheel, Debian packages, an RPM and an archive, in dist/"
	@echo "make check   format, layers, words, the page, clang-tidy, sanitizer builds (what CI runs after the tests)"
	@echo "make format  rewrite the sources with clang-format"

deps:
	@scripts/install_dependencies.sh

deps-ci:
	@scripts/install_dependencies.sh --ci

# Configures once; CMake itself re-runs when its files change.
$(BUILD)/build.ninja: | deps
	cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)

build: deps $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)

# Builds only what it runs.
demo: deps $(BUILD)/build.ninja
	@scripts/demo.sh $(BUILD) $(MODEL) $(JOBS)

# The last line says what was skipped, also if a test failed.
test: build
	@status=0; ctest --test-dir $(BUILD) --output-on-failure -LE gpu -j $(TEST_JOBS) || status=$$?; \
	if grep -qs "^SKIPPED: chDB" $(BUILD)/Testing/Temporary/LastTest.log; then \
	  echo "fleet.questions and fleet.add were skipped: prof-fleet's engine is not installed;" \
	    "\`make test-fleet\` installs it and runs them"; \
	fi; exit $$status

# Half a minute instead of all.
quick: deps $(BUILD)/build.ninja
	@scripts/quick.sh $(BUILD) $(DIR) $(JOBS)

test-fleet: build
	scripts/install_dependencies.sh --fleet
	ctest --test-dir $(BUILD) --output-on-failure -L fleet -j $(TEST_JOBS)

# For this system; `make packages` makes one for others.
wheel: deps $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS) --target installed_files
	python3 -B scripts/build_wheel.py $(BUILD) dist

# What is given to users, in dist/.
packages: deps
	scripts/build_packages.sh

check: $(CHECKS:%=check-%)

check-format: deps-ci
	scripts/check_format.sh

check-layers:
	python3 tests/layers/check_layers.py .
	python3 tests/layers/check_names.py .

check-words:
	scripts/count_words.sh --most 50000

check-web:
	scripts/install_dependencies.sh --web
	scripts/check_web.sh $(wildcard $(BUILD)/bin/prof-report)

check-tidy: deps-ci
	scripts/check_tidy.sh

check-tsan check-asan: check-%: deps
	scripts/check_sanitizer.sh $*

format:
	scripts/check_format.sh --fix

clean:
	rm -rf $(BUILD)
