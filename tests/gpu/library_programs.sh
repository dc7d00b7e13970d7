#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs that annotate nothing for prof-run, with the calls of libraries traced: the reference
# models with their annotations muted, whose products are those of their ledgers; and GPT-2 of
# llm.c, if LLMC names a checkout of it: every product as its source calls it, the step's FLOPs, and
# MFU as the program's own times give it; and a C++ program of libtorch, if EXAMPLES names a checkout
# of PyTorch's examples: the share of its GPU time that has ops, sizes and FLOPs. Usage: library_programs.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
compare() { python3 -B "$here/library_programs.py" "$@"; }

# muted NAME PROGRAM OPTIONS...: NVTX finds no tool, so the program's ranges are not seen.
muted() {
  local name=$1 program=$2
  shift 2
  local step=("$bin/$program" --warmup 0 --steps 1 "$@")
  "$bin/$program" "$@" --ledger "$out/$name.ledger.json" >/dev/null
  check "$name: capture" env NVTX_INJECTION64_PATH="$out/none.so" "$bin/prof-run" --force --trace all,no-osrt \
    -o "$out/$name.db" -- "${step[@]}" >"$out/$name.txt"
  check "$name: products equal the ledger's" compare ledger "$bin/prof-report" "$out/$name.ledger.json" "$out/$name.db"
}

muted dlrm ref-dlrm
muted bert ref-bert
muted gpt ref-gpt --validation 0

# GPT-2 of llm.c.
llmc_training() {
  llmc=$out/llm.c
  cp -r "$LLMC" "$llmc" && cd "$llmc" || return
  # CUDA 13 has another parameter for a place of memory.
  sed -i 's/cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId/cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeHost, 0}/' llmc/cuda_utils.cuh
  sed -i 's/#if __has_include(<nvml.h>)/#if 0/' llmc/mfu.h # it links without NVML
  check "llm.c: builds" nvcc --threads=0 -t=0 --use_fast_math -std=c++17 -O3 -arch=native -DENABLE_BF16 \
    train_gpt2.cu -lcublas -lcublasLt -o train_gpt2cu
  compare tokens "$out/train.bin" "$out/val.bin"
  for depth in ${LLMC_DEPTHS-6 12}; do
    size=(-e "d$depth" -b "${LLMC_BATCH-8}" -t 1024 -d $((${LLMC_BATCH-8} * 1024)))
    train=(./train_gpt2cu -i "$out/train.bin" -j "$out/val.bin" "${size[@]}" -x 12 -v 1000 -s 0 -m 1 -h 0)
    "${train[@]}" >"$out/llmc$depth.bare.txt" 2>&1
    check "llm.c d$depth: capture" "$bin/prof-run" -q --force --trace cublas -o "$out/llmc$depth.db" -- "${train[@]}" >"$out/llmc$depth.txt"
    grep '^step ' "$out/llmc$depth.bare.txt" "$out/llmc$depth.txt" | tail -n 3
    check "llm.c d$depth" compare llmc "$bin/prof-report" "$out/llmc$depth.txt" "$out/llmc$depth.db"
    "$bin/prof-report" -r summary "$out/llmc$depth.db"
    "$bin/prof-report" -r ops --top 30 "$out/llmc$depth.db"
    "$bin/prof-report" -r layers --top 30 "$out/llmc$depth.db"
  done
}

# MNIST of PyTorch's C++ examples, on made-up digits, one epoch.
libtorch_training() {
  local folder=$out/mnist torch
  mkdir -p "$folder" && cd "$folder" || return
  torch=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')
  sed 's/kNumberOfEpochs = 10/kNumberOfEpochs = 1/' "$EXAMPLES/cpp/mnist/mnist.cpp" >mnist.cpp
  check "libtorch: builds" g++ -std=c++17 -O1 mnist.cpp -o mnist -I"$torch/include" -I"$torch/include/torch/csrc/api/include" \
    -I/usr/local/cuda/include -L"$torch/lib" -Wl,--no-as-needed -ltorch_cuda -ltorch_cpu -ltorch -lc10_cuda -lc10 -Wl,-rpath,"$torch/lib"
  compare digits data
  ./mnist >bare.txt 2>&1
  check "libtorch: capture" "$bin/prof-run" -q --force --trace all,no-osrt -o mnist.db -- ./mnist >traced.txt 2>&1
  tail -n 2 bare.txt traced.txt
  check "libtorch: known" compare known "$bin/prof-report" mnist.db
  "$bin/prof-report" -r ops --top 25 mnist.db
}

if [ -n "${LLMC-}" ]; then llmc_training; else echo "SKIPPED: LLMC names no checkout of llm.c" >&2; fi
if [ -n "${EXAMPLES-}" ]; then libtorch_training; else echo "SKIPPED: EXAMPLES names no checkout of PyTorch's" >&2; fi
finish
