# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Odd programs with and without the profiler: scenarios.py. A few seconds of them are a test, the whole
# is a command (docs/reliability.md).
if(NOT PROF_HAVE_CUDA OR PROF_SANITIZE)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME adversary.processes COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/scenarios.py
  --build ${PROJECT_BINARY_DIR} --quick --seconds 3)
set_tests_properties(adversary.processes PROPERTIES LABELS adversary TIMEOUT 300)
