#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The main use case: captures a training step of a reference model and shows which layer, op,
# direction and shape launched every kernel. Without a GPU it replays a bundled recording of that
# capture. Builds only what it runs, in a configured CMake build folder.
#
# usage: demo.sh BUILD_DIR [MODEL [JOBS]]
set -euo pipefail
build=$1
model=${2:-dlrm}
jobs=${3:-$(nproc)}
here=$(cd "$(dirname "$0")/.." && pwd)
out=$build/demo
trace=$out/$model.db
recording=$here/tests/data/$model.jsonl.gz
mkdir -p "$out"
step=1
[ "$model" = gpt ] && step=0 # its first range is "Train step 0"

case $model in
  dlrm | bert | gpt) ;;
  *)
    echo "demo: unknown model '$model'; try: make demo MODEL=dlrm, bert or gpt" >&2
    exit 2
    ;;
esac

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || nvidia-smi -L >/dev/null 2>&1; }
# Without a CUDA toolkit, reference models cannot be built.
can_build_model() { cmake --build "$build" --target help | grep "ref-$model\b" >/dev/null; }

if has_gpu && can_build_model; then
  cmake --build "$build" -j "$jobs" --target prof-run prof_inject "ref-$model" prof-report
  echo "Capturing one training step of ref-$model on this machine's GPU:"
  echo "  \$ prof-run --force -o $trace -- $build/bin/ref-$model"
  "$build/bin/prof-run" --force -o "$trace" -- "$build/bin/ref-$model"
else
  cmake --build "$build" -j "$jobs" --target prof-import prof-report
  echo "No GPU with a driver here: replaying the bundled recording of a captured ref-$model step:"
  echo "  \$ prof-import --force -o $trace tests/data/$model.jsonl.gz"
  "$build/bin/prof-import" --force -o "$trace" "$recording"
fi

echo
echo "  \$ prof-report --step $step $trace"
"$build/bin/prof-report" --step $step "$trace"
echo
echo "  \$ prof-report -r layers --step $step $trace"
"$build/bin/prof-report" -r layers --step $step "$trace"
echo
echo "  \$ prof-report -r summary --step $step $trace"
"$build/bin/prof-report" -r summary --step $step "$trace"
echo
echo "Try next: $build/bin/prof-report -r ops $trace"
echo "Your own program: make, then $build/bin/prof-run -o my.db -- ./your_app"
