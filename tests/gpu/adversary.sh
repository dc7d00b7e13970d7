#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Odd programs with and without the profiler on the real driver and CUPTI: tests/adversary/scenarios.py.
# The table of docs/adversary.md is left in OUT_DIR/adversary.md. ADVERSARY_TRACE: what to record
# besides, as prof-run --trace. Usage: adversary.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
check "odd programs" python3 -B "$here/../adversary/scenarios.py" --build "$build" --gpu --jobs 4 --seconds 10 ${ADVERSARY_TRACE:+--trace "$ADVERSARY_TRACE"} --table "$out/adversary.md"
finish
