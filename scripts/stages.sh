# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# To be sourced: runs stages of a longer job, and prints at the end what each took.
#
#   run_stage NAME COMMAND...   runs the command; the stage's name heads its output
#   print_stages                seconds, and CPU seconds (user and system), of all stages so far
#   calibrate                measures the host by a compile that never changes; call it now and then
#   fail_above_cpu_budget SECONDS CALIBRATION   fails if all stages together took 1.3 times these CPU
#                            seconds or more, on a host where calibrate() takes CALIBRATION hundredths
#                            of a second. Others count by what it takes there: slow hosts do not fail
stage_lines=()
calibrations=()
stage_clock=$(mktemp)
trap 'rm -f "$stage_clock"' EXIT

# CPU seconds, and hundredths, of the commands that have ended: of this shell, hence no subshell.
read_cpu() {
  times >"$stage_clock"
  stage_cpu_hundredths=$(
    awk 'NR == 2 { gsub(/[ms]/, " "); print int(100 * ($1 * 60 + $2 + $3 * 60 + $4)) }' "$stage_clock")
  stage_cpu=$((stage_cpu_hundredths / 100))
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

calibrate() {
  local before
  read_cpu
  before=$stage_cpu_hundredths
  "${CXX:-g++}" -std=c++20 -O2 -c scripts/calibration.cpp -o /dev/null
  read_cpu
  calibrations+=($((stage_cpu_hundredths - before)))
}

fail_above_cpu_budget() {
  local sum=0 one most
  for one in "${calibrations[@]}"; do sum=$((sum + one)); done
  most=$(($1 * 13 * sum / (10 * $2 * ${#calibrations[@]})))
  read_cpu
  echo "$stage_cpu CPU seconds of $most (calibrations: ${calibrations[*]} hundredths)"
  if [ "$stage_cpu" -gt "$most" ]; then
    echo "that is too much: scripts/build_times.py shows where they go" >&2
    return 1
  fi
}
