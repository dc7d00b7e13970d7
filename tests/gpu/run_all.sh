#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every GPU test, continues after a failure, and prints a table. Logs (their last 200 kB) are
# in OUT_DIR, and in OUT_DIR/TEST what a test left in its folder `keep`.
# Usage: run_all.sh BUILD_DIR OUT_DIR [TEST...]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run_all.sh BUILD_DIR OUT_DIR [TEST...]}
logs=${2:?usage: run_all.sh BUILD_DIR OUT_DIR [TEST...]}
shift 2
tests=("$@")
nvidia-smi -L >/dev/null 2>&1 || {
  echo "SKIPPED: no GPU (nvidia-smi finds none): no GPU test ran" >&2
  exit 77
}
[ ${#tests[@]} -gt 0 ] || tests=(dlrm_check bert_check gpt_check ledger count_launches waits memory graphs three_ways same_as_recording dlrm_1000 torch torch_models live_models around_steps unmarked torch_helper torch_python torch_launchers torch_kineto jupyter repeats flop_counter ncu_audit nccl ranks nccl_bandwidth cublas cudnn library_programs library_samples key_averages failures observer jax optimizer_closures answers gains diff limits hand_counted adversary)
mkdir -p "$logs"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
table=()
failed=0
for test in "${tests[@]}"; do
  echo "== $test"
  script=$here/$test.sh
  start=$SECONDS
  limit=${GPU_TEST_TIMEOUT:-300}
  case $test in
    live_models) limit=${GPU_TEST_TIMEOUT:-900} ;; # some 30 models, each twice
    around_steps) limit=${GPU_TEST_TIMEOUT:-900} ;; # some 60 models, each three times
    adversary) limit=${GPU_TEST_TIMEOUT:-900} ;; # some 150 programs, each twice
    jax) limit=${GPU_TEST_TIMEOUT:-900} ;; # twelve runs, which compile
    ranks) limit=${GPU_TEST_TIMEOUT:-900} ;; # some 30 pairs of programs
    ncu_audit) limit=${GPU_TEST_TIMEOUT:-1200} ;; # every kernel of seven steps, several times
  esac
  if [[ $test =~ ^(dlrm|bert|gpt)_check$ ]]; then
    timeout "$limit" bash "$here/gradient_check.sh" "$build/bin/ref-${test%_check}" >"$scratch/$test.log" 2>&1
    status=$?
  elif [ -f "$script" ]; then
    timeout "$limit" bash "$script" "$build" "$scratch/$test" >"$scratch/$test.log" 2>&1
    status=$?
  else
    echo "no such test: $script" >"$scratch/$test.log"
    status=2
  fi
  tail -c 200000 "$scratch/$test.log" >"$logs/$test.log"
  # ok and FAILED lines say what was checked; the rest is in the log.
  grep -E '^(ok|FAILED|SKIPPED|EQUAL|DIFFERENT)' "$scratch/$test.log"
  case $status in
    0) word=PASS ;;
    77) word=SKIP ;;
    124) word=TIMEOUT failed=1 ;;
    *) word=FAIL failed=1 ;;
  esac
  [ $status = 0 ] || [ $status = 77 ] || tail -25 "$scratch/$test.log"
  table+=("$(printf '%-8s %-16s %4d s' "$word" "$test" $((SECONDS - start)))")
  if [ -d "$scratch/$test/keep" ]; then
    rm -rf "${logs:?}/$test"
    mv "$scratch/$test/keep" "$logs/$test"
  fi
  rm -rf "${scratch:?}/$test"
done
echo "== result"
printf '%s\n' "${table[@]}" | tee "$logs/result.txt"
exit $failed
