#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every GPU test, continues after a failure, and prints a table. Logs (their last 200 kB) are
# in OUT_DIR. Usage: run_all.sh BUILD_DIR OUT_DIR [TEST...]
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
[ ${#tests[@]} -gt 0 ] || tests=(dlrm_check bert_check gpt_check ledger count_launches three_ways same_as_recording dlrm_1000 torch torch_models torch_helper torch_kineto nccl key_averages failures adversary)
mkdir -p "$logs"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
table=()
failed=0
for test in "${tests[@]}"; do
  echo "== $test"
  script=$here/$test.sh
  start=$SECONDS
  # Some 150 programs, each twice.
  limit=${GPU_TEST_TIMEOUT:-300}
  [ "$test" != adversary ] || limit=${GPU_TEST_TIMEOUT:-900}
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
  rm -rf "${scratch:?}/$test"
done
echo "== result"
printf '%s\n' "${table[@]}" | tee "$logs/result.txt"
exit $failed
