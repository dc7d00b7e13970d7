# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Damaged and hostile traces and streams through every report and form: some seconds as a test, as
# long as one likes by hand.
add_executable(fuzz_traces fuzz_traces.cpp traces/child.cpp traces/damage.cpp
  traces/stream_damage.cpp)
target_link_libraries(fuzz_traces PRIVATE prof_options prof::import prof::report prof::sqlite
  ZLIB::ZLIB)
add_test(NAME fuzz_traces COMMAND fuzz_traces 5 ${PROJECT_SOURCE_DIR}/tests/golden/streams)
set_tests_properties(fuzz_traces PROPERTIES LABELS adversary TIMEOUT 900)
add_dependencies(sanitized_tests fuzz_traces)

# No cost grows faster than N log N: growth.py, the table of docs/adversary.md, in small.
if(NOT PROF_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME adversary.growth COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/growth.py --build ${PROJECT_BINARY_DIR} --size 400 --times 1
    --together --margin 3)
  set_tests_properties(adversary.growth PROPERTIES LABELS adversary TIMEOUT 600 COST 60)
endif()
