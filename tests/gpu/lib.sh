# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Shared by the GPU test scripts; sourced, not run. Each script is called as SCRIPT BUILD_DIR
# OUT_DIR.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${1:?usage: $0 BUILD_DIR OUT_DIR}" && pwd) || exit 2
mkdir -p "${2:?usage: $0 BUILD_DIR OUT_DIR}" && out=$(cd "$2" && pwd) || exit 2

# skip WHY...: ends the script. Skipped tests are reported, never silent: status 77.
skip() {
  echo "SKIPPED: $*" >&2
  exit 77
}
# need_modules WHAT MODULES: skips unless python3 can import them.
need_modules() { python3 -c "import $2" 2>/dev/null || skip "no $1 for python3"; }

nvidia-smi -L >/dev/null 2>&1 || skip "no GPU (nvidia-smi finds none): $(basename "$0") tested nothing"

bin=$build/bin
programs=$build/tests/gpu
inject=$(find "$build" -name libprof_inject.so -not -path '*/tests/*' | head -1)
[ -n "$inject" ] || { echo "no libprof_inject.so under $build" >&2; exit 2; }
export LD_LIBRARY_PATH="$build/lib:$(dirname "$inject")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/cuda/lib64"

failures=0
exec 3>&1  # for verdicts, even if a check's own output is redirected to a file
# check NAME COMMAND...: runs it, reports the result, remembers a failure.
check() {
  local name=$1
  shift
  if "$@"; then echo "ok: $name" >&3; else
    echo "FAILED: $name (status $?): $*" >&3
    failures=$((failures + 1))
  fi
}
finish() { [ "$failures" = 0 ] && exit 0 || exit 1; }
