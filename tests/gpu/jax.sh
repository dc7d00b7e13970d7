#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Training steps in JAX under prof-run with nothing changed: every kernel has an op, the matrix
# products are those of the model, layers and direction come from JAX's names; with products by
# Triton and by cuBLAS, in CUDA graphs and out. The program's own output and status. Keeps XLA's
# texts. Usage: jax.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
export XLA_PYTHON_CLIENT_PREALLOCATE=false TF_CPP_MIN_LOG_LEVEL=2
need_modules "JAX with a GPU" "jax; assert jax.default_backend() == 'gpu', jax.default_backend()"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(perceptron transformer)
python3 -c 'import jax, jaxlib; print("jax", jax.__version__, "jaxlib", jaxlib.__version__)'
words=cublas
"$bin/prof-run" --help | grep -qw cudnn && words=cublas,cudnn
mkdir -p "$out/keep"

declare -A flags=(
  [usual]=""
  [no_graphs]="--xla_gpu_enable_command_buffer="
  [cublas]="--xla_gpu_enable_triton_gemm=false"
)
for model in "${models[@]}"; do
  for variant in usual no_graphs cublas; do
    name=${model}_$variant
    command=(python3 "$here/jax_models.py" "$model" --products "$out/$model.json")
    export XLA_FLAGS=${flags[$variant]}
    "${command[@]}" >"$out/$name.bare" 2>"$out/$name.bare.err"
    check "$name: bare" test $? = 0
    "$bin/prof-run" -q --force --trace "$words" -o "$out/$name.db" -- "${command[@]}" >"$out/$name.txt" 2>"$out/$name.err"
    check "$name: status" test $? = 0
    check "$name: stdout untouched" cmp "$out/$name.bare" "$out/$name.txt"
    tail -2 "$out/$name.err" | cut -c1-300
    check "$name: texts" python3 "$here/jax_check.py" texts "$out/$name.db" "$out/keep"
    check "$name: step" python3 "$here/jax_check.py" step "$bin/prof-report" "$out/$name.db" "$out/$model.json"
    step=(--step-range 'TSL:XlaModule:#*hlo_module=jit_train_step[,#]*' "$out/$name.db")
    "$bin/prof-report" --step 4 "${step[@]}" >"$out/keep/$name.step" 2>&1
    "$bin/prof-report" -r layers "${step[@]}" >"$out/keep/$name.layers" 2>&1
    "$bin/prof-report" -r losses "$out/$name.db" >"$out/keep/$name.losses" 2>&1
  done
done
finish
