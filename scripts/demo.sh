#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The main job: capture a training step of a reference model and show which layer, op, direction and
# shape launched every kernel. Without a GPU it replays the bundled recording of exactly that capture.
#
# usage: demo.sh BUILD_DIR [MODEL]
set -euo pipefail
build=$1
model=${2:-dlrm}
here=$(cd "$(dirname "$0")/.." && pwd)
out=$build/demo
trace=$out/$model.db
recording=$here/tests/data/$model.jsonl.gz
mkdir -p "$out"
step=1
[ "$model" = gpt ] && step=0 # its ranges count from "Train step 0"

has_gpu() { [ -x "$build/bin/ref-$model" ] && { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || nvidia-smi -L >/dev/null 2>&1; }; }

if has_gpu; then
  echo "Capturing one training step of ref-$model on this machine's GPU:"
  echo "  \$ prof-run --force -o $trace -- $build/bin/ref-$model"
  "$build/bin/prof-run" --force -o "$trace" -- "$build/bin/ref-$model"
else
  if [ ! -f "$recording" ]; then
    echo "demo: there is no recording of a model named '$model' (tests/data/$model.jsonl.gz); try: make demo MODEL=dlrm, bert or gpt" >&2
    exit 2
  fi
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
echo "Try next: $build/bin/prof-report -r ops $trace     or your own program: $build/bin/prof-run -o my.db -- ./your_app"
