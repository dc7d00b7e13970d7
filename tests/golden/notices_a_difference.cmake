# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests the runner itself: a case with one changed digit must fail and show where.
file(READ ${source}/tests/golden/layers.case text)
string(REGEX REPLACE "(total[^\n]*)[0-9]" "\\1x" changed "${text}")
if(changed STREQUAL text)
  message(FATAL_ERROR "nothing was changed: layers.case has no total")
endif()
file(WRITE ${work}/changed.case "${changed}")
execute_process(
  COMMAND ${python} ${runner} --bin ${bin} --source ${source} ${work}/changed.case
  RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "\n-  total")
  message(FATAL_ERROR "a changed case was not noticed: ${result} ${output}")
endif()

# Also tests that it requires column lists.
file(WRITE ${work}/without_columns.case
  "stream: tests/golden/streams/mlp.jsonl\n\n$ prof-report -f csv trace.db\n")
execute_process(
  COMMAND ${python} ${runner} --bin ${bin} --source ${source} ${work}/without_columns.case
  RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "need -c COLUMNS")
  message(FATAL_ERROR "a case that names no columns was not refused: ${result} ${output}")
endif()
