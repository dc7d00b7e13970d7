#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs under torch.compile (compiled_models.py) and `prof-run python3 -m prof_torch`: the last
# step of each against the same step run eagerly. With and without the capture: losses, hits of the
# caches and generated files are the same. A second process, which finds all in the caches, says
# what the first one said. Torch's own provenance names the same nodes. Usage: compiled.sh BUILD_DIR OUT_DIR [CASE...]
# A CASE is a model and its options: "gpt2 --mode dynamic".
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision, transformers and triton" "torch, torchvision, transformers, triton"
export PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
mkdir -p "$out/keep" "$out/cache"
trained=(bert gpt2 llama resnet50 vit unet)
cases=("$@")
if [ ${#cases[@]} = 0 ]; then
  for model in "${trained[@]}"; do
    cases+=("$model" "$model --infer" "$model --amp" "$model --mode reduce-overhead"
      "$model --mode dynamic")
    [ "$model" = resnet50 ] || cases+=("$model --mode regional" "$model --checkpoint")
  done
  cases+=("mlp --mode max-autotune" "mlp --mode max-autotune --infer" "gpt2 --optimizer" "llama --mode reduce-overhead --infer" "generate --infer --steps 2" flex
    "flex --infer" triton "triton --infer")
fi

# Those that are run again, and without the capture; and all others.
again=() once=()
for case in "${cases[@]}"; do
  case $case in
    gpt2 | "resnet50 --infer" | "bert --mode regional") again+=("$case") ;;
    *) once+=("$case") ;;
  esac
done

name_of() { tr -s ' -' '_' <<<"$1"; }
# The same program, run eagerly.
eager_of() {
  local options=${1/--mode dynamic/--vary}
  echo "$(sed -E 's/ --mode [a-z-]+| --optimizer//g' <<<"$options") --mode eager"
}
# record FILE CACHE CASE: under the capture; FILE.txt is what the program says.
record() {
  TORCHINDUCTOR_CACHE_DIR=$out/cache/$2 "$bin/prof-run" -q -o "$out/$1.db" -- \
    python3 -m prof_torch "$here/compiled_models.py" $3 >"$out/$1.txt" 2>"$out/$1.err"
}
# bare FILE CACHE CASE: without.
bare() {
  TORCHINDUCTOR_CACHE_DIR=$out/cache/$2 python3 "$here/compiled_models.py" $3 >"$out/$1.txt" 2>/dev/null
}
run_eager() { record "$(name_of "$1")" eager "$1"; }
run_case() { record "$(name_of "$1")" "$(name_of "$1")" "$1"; }
# Caches made with and without the capture, in the same folder since the generated code names it:
# each is used again by a process of the other kind.
run_twice() {
  local name=$(name_of "$1")
  local cache=$out/cache/$name
  rm -rf "$cache" "$cache".*
  bare "$name.bare" "$name" "$1"
  mv "$cache" "$cache.bare"
  record "$name" "$name" "$1"
  cp -a "$cache" "$cache.seen"
  bare "$name.bare_again" "$name" "$1"
  rm -rf "$cache" && mv "$cache.seen" "$cache"
  record "$name.again" "$name" "$1"
  rm -rf "$cache" && mv "$cache.bare" "$cache"
  record "$name.unseen" "$name" "$1"
}
judge() {
  local name=$1 case=$2 eager=$(name_of "$(eager_of "$2")") status
  python3 "$here/compiled_check.py" "$name" "$bin/prof-report" "$out/$name.db" "$out/$eager.db" \
    >"$out/$name.checked" 2>&1
  status=$?
  [ -s "$out/$name.txt" ] || tail -3 "$out/$name.err"
  head -1 "$out/$name.checked" >>"$out/keep/table.md"
  cat "$out/$name.checked"
  return $status
}
same() {
  check "$1: losses, cache keys and hits as without the capture" cmp "$out/$1.bare.txt" "$out/$1.txt"
  check "$1: so in a second process" cmp "$out/$1.bare_again.txt" "$out/$1.again.txt"
}
in_parallel() { xargs -P "${CAPTURES:-6}" -d '\n' -I {} bash -c "$1 \"{}\""; }
export -f name_of record bare run_eager run_case run_twice
export here out bin

for case in "${cases[@]}"; do eager_of "$case"; done | sort -u | in_parallel run_eager
each_of() { [ $# = 0 ] || printf '%s\n' "$@"; }
each_of "${again[@]}" | in_parallel run_twice &
each_of "${once[@]}" | in_parallel run_case
wait
rm -f "$out/keep/table.md"
for case in "${cases[@]}"; do check "$case" judge "$(name_of "$case")" "$case"; done
for case in "${again[@]}"; do
  name=$(name_of "$case")
  same "$name"
  check "$case, all in the caches" judge "$name.again" "$case"
  check "$case, from a cache made without the capture" judge "$name.unseen" "$case"
done

# Torch's own word, with its provenance on.
provenance() {
  TORCH_TRACE=$out/$1.torch INDUCTOR_PROVENANCE=1 record "$1.provenance" "$1.provenance" "$1"
}
export -f provenance
told=()
for case in "${cases[@]}"; do [[ $case =~ ^(gpt2|resnet50|llama)$ ]] && told+=("$case"); done
each_of "${told[@]}" | in_parallel provenance
for model in "${told[@]}"; do
  check "$model: nodes as torch says" python3 "$here/compiled_provenance.py" "$bin/prof-report" \
    "$out/$model.provenance.db" "$out/$model.torch"
done
finish
