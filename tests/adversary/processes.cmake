# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Odd programs with and without the profiler: scenarios.py. A test runs a few seconds of them, a
# command all of them (docs/adversary.md).
if(NOT PROF_HAVE_CUDA OR PROF_SANITIZE)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

list(TRANSFORM PROF_SCRIPT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/tests/system/ OUTPUT_VARIABLE
  script_sources)
set(script_libraries prof_options prof_cuda_headers standin_headers Threads::Threads
  ${CMAKE_DL_LIBS})

# script_app's commands on a real GPU.
add_executable(odd_gpu odd_gpu.cu ${script_sources})
target_link_libraries(odd_gpu PRIVATE ${script_libraries} CUDA::cudart_static)

add_library(odd_plugin MODULE odd_plugin.cpp)
target_link_libraries(odd_plugin PRIVATE prof_options prof_cuda_headers ${CMAKE_DL_LIBS})

add_library(bad_disk MODULE bad_disk.cpp)
target_link_libraries(bad_disk PRIVATE prof_options ${CMAKE_DL_LIBS})

target_include_directories(odd_gpu PRIVATE ${PROJECT_SOURCE_DIR}/tests/system/apps)
set_target_properties(odd_gpu odd_plugin bad_disk PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/adversary
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/adversary)

add_test(NAME adversary.processes COMMAND ${Python3_EXECUTABLE} -B
  ${CMAKE_CURRENT_SOURCE_DIR}/scenarios.py
  --build ${PROJECT_BINARY_DIR} --quick --seconds 3 --jobs 4)
set_tests_properties(adversary.processes PROPERTIES LABELS adversary TIMEOUT 900 COST 25)
