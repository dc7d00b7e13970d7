# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The runner itself is tested: a case with one changed digit must fail, and say where.
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
