#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# NVIDIA's samples of cuBLAS, cuBLASLt, cuFFT, cuSOLVER and cuSPARSE (SAMPLES names a checkout of
# CUDALibrarySamples), bare and with --trace all: the same output and status, and the kernels that
# have no op. Usage: library_samples.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
[ -n "${SAMPLES-}" ] || skip "SAMPLES names no checkout of CUDALibrarySamples"
export SAMPLES out bin
export samples_bin=${SAMPLES_BIN-$out/bin}
mkdir -p "$samples_bin"

# build_sample MAIN: a program of a source with main(), and what lies beside it without.
build_sample() {
  local main=$1 folder name
  folder=$(dirname "$main")
  name=${main#"$SAMPLES/"}
  name=$(tr / . <<<"${name%.*}")
  [ -e "$samples_bin/$name" ] && return
  # Newer samples name what CUDA 13.0 lacks.
  nvcc -x cu -std=c++17 -O1 -arch=sm_90 -cudart shared -w \
    -D'CUBLASLT_MATMUL_MATRIX_SCALE_PER_BATCH_SCALAR_32F=((cublasLtMatmulMatrixScale_t)99)' -I"$folder" -I"$folder/../utils" -I"$folder/../../utils" -I"$folder/../Common" \
    "$main" $(grep -L 'int main' "$folder"/*.cu "$folder"/*.cpp "$folder"/*.c 2>/dev/null) \
    -lcublas -lcublasLt -lcufft -lcusolver -lcusparse -lcusolverMg -lcuda -lnvrtc -o "$samples_bin/$name" >"$out/$name.build" 2>&1 ||
    echo "not built: $name: $(grep -m1 error "$out/$name.build")"
}
run_sample() {
  local name=$1 status
  cd "$(mktemp -d)" || return
  LC_ALL=C timeout 60 "$samples_bin/$name" >"$out/$name.bare" 2>/dev/null
  status=$?
  LC_ALL=C timeout 60 "$bin/prof-run" -q --force --trace all,no-osrt,no-device -o "$out/$name.db" -- "$samples_bin/$name" >"$out/$name.txt" 2>/dev/null
  echo "$name bare $status traced $?" >"$out/$name.status"
}
export -f build_sample run_sample
for library in cuBLAS cuBLASLt cuFFT cuSOLVER cuSPARSE; do
  grep -rlE --include='*.cu' --include='*.cpp' --include='*.c' 'int main' "$SAMPLES/$library"
done | grep -vE 'lto_callback|mgpu' | xargs -P "$(nproc)" -I{} bash -c 'build_sample {}'
ls "$samples_bin" | xargs -P 4 -I{} bash -c 'run_sample {}'
check "samples" python3 -B "$here/library_samples.py" "$bin/prof-report" "$out"
finish
