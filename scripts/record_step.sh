#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Records a training step of a reference model on this machine's GPU as a text stream for
# tests/data, which `make demo` and the golden tests replay without a GPU. The stream states device,
# UUID, driver, CUPTI version and command; this script adds the workload's commit and removes the
# recording folder's path.
#
# usage: record_step.sh BUILD_DIR MODEL COMMIT OUT.jsonl.gz [ARGUMENTS OF THE MODEL...]
set -euo pipefail
if [ $# -lt 4 ]; then
  sed -n 's/^# usage/usage/p' "$0" >&2
  exit 2
fi
build=$1 model=$2 commit=$3 out=$4
shift 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/bin/prof-run" -o "$scratch/trace.db" --stream "$scratch/trace.jsonl" -- "$build/bin/ref-$model" "$@"
# The first line is the stream's header; a fact about the whole capture may follow anywhere after
# it.
{
  head -n 1 "$scratch/trace.jsonl"
  printf '{"record":"meta","key":"workload_commit","value":"%s"}\n' "$commit"
  tail -n +2 "$scratch/trace.jsonl"
} | sed -e "s|\"$PWD/|\"|g" -e "s|\"$PWD\"|\".\"|g" | gzip -9n >"$out"
