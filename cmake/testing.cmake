# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof_add_test(NAME SOURCES ... LIBS ... [LABELS ...] [DEFINITIONS ...] [THREADED]): a GoogleTest
# program, one CTest entry, label "unit" unless another is given.
# prof_add_benchmark(NAME SOURCES ... LIBS ...): a Google Benchmark program, never a test.
enable_testing()

# The targets of scripts/check_sanitizer.sh: every GoogleTest program and what the golden tests
# run; and for the thread sanitizer, the programs whose threads share state (THREADED).
add_custom_target(sanitized_tests)
add_custom_target(threaded_tests)

function(prof_add_test name)
  cmake_parse_arguments(arg "THREADED" "" "SOURCES;LIBS;LABELS;DEFINITIONS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE prof_options ${arg_LIBS} GTest::gmock GTest::gtest
    GTest::gtest_main Threads::Threads)
  prof_precompile_test(${name})
  target_compile_definitions(${name} PRIVATE PROF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    ${arg_DEFINITIONS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(sanitized_tests ${name})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(arg_THREADED)
    list(APPEND arg_LABELS threaded)
    add_dependencies(threaded_tests ${name})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
endfunction()

function(prof_add_benchmark name)
  if(NOT PROF_BUILD_BENCHMARKS OR NOT benchmark_FOUND)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE prof_options ${arg_LIBS} benchmark::benchmark
    Threads::Threads)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()
