# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# To be sourced: runs stages of a longer job, and prints at the end what each took.
#
#   run_stage NAME COMMAND...   runs the command; the stage's name heads its output
#   print_stages                seconds, and CPU seconds (user and system), of all stages so far
#   warn_above_cpu_budget SECONDS   says so if all stages together took more CPU seconds: a busy
#                                   host takes up to twice as many for the same work
stage_lines=()
stage_clock=$(mktemp)
trap 'rm -f "$stage_clock"' EXIT

# CPU seconds of the commands that have ended: of this shell, hence no subshell.
read_cpu() {
  times >"$stage_clock"
  stage_cpu=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$stage_clock")
}

run_stage() {
  local name=$1 began=$SECONDS cpu_before
  shift
  read_cpu
  cpu_before=$stage_cpu
  echo "== $name"
  "$@"
  read_cpu
  stage_lines+=("$(printf '%-22s %8d %8d' "$name" $((SECONDS - began)) $((stage_cpu - cpu_before)))")
}

print_stages() {
  read_cpu
  printf '%-22s %8s %8s\n' stage seconds "CPU s"
  printf '%s\n' "${stage_lines[@]}" "$(printf '%-22s %8d %8d' total "$SECONDS" "$stage_cpu")"
}

warn_above_cpu_budget() {
  read_cpu
  if [ "$stage_cpu" -gt "$1" ]; then
    echo "this took $stage_cpu CPU seconds, more than the budget of $1: scripts/build_times.py shows where they go" >&2
  fi
}
