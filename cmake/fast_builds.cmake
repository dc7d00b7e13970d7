# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What makes a build fast and is never needed: unity batches, precompiled headers, a faster linker.
# Each can be switched off: -DCMAKE_UNITY_BUILD=OFF, -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON,
# -DPROF_LINKER="". What they gain: docs/testing.md.
#
# prof_cuda_batches(OUT FILES...): CUDA sources as unity batches, which CMake knows for C++ alone.
# prof_precompile(TARGETS...): these static libraries get the headers that most of our files include.
# prof_precompile_test(TARGET): the same for a GoogleTest program, which is not optimised either.

# Names in anonymous namespaces differ within a target, so that any batches compile.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile several sources as one")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12 CACHE STRING "Sources compiled as one")

find_program(PROF_LLD NAMES ld.lld)
set(linker "")
if(PROF_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(linker lld)
endif()
set(PROF_LINKER "${linker}" CACHE STRING "Linker for -fuse-ld=; empty: the compiler's own")
if(PROF_LINKER)
  add_link_options($<$<LINK_LANGUAGE:CXX,C>:-fuse-ld=${PROF_LINKER}>)
endif()

# No <iostream>: its static object would be in every file, and in the collector.
set(prof_common_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdlib> <cstring>
  <deque> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string>
  <string_view> <tuple> <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h>)

# A precompiled header fits only what is compiled with the same options: one serves the static
# libraries, one the GoogleTest programs.
function(prof_add_precompiled_headers target)
  set(source ${PROJECT_BINARY_DIR}/generated/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Compiles the headers for others: cmake/fast_builds.cmake.\n")
  add_library(${target} OBJECT ${source})
  target_link_libraries(${target} PRIVATE prof_options)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

function(prof_precompile)
  prof_add_precompiled_headers(prof_headers ${prof_common_headers})
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      target_precompile_headers(${target} REUSE_FROM prof_headers)
    endif()
  endforeach()
endfunction()

# Speed of tests is what their compiler takes. ASan and UBSan watch the product: in the sources of
# tests they would take two thirds of the compiler's time.
if(PROF_BUILD_TESTS)
  add_library(prof_test_options INTERFACE)
  target_compile_options(prof_test_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  if(PROF_SANITIZE MATCHES "address")
    target_compile_options(prof_test_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=${PROF_SANITIZE}>)
  endif()
  if(PROF_SANITIZE)
    # What takes long is made smaller, what needs memory to be short is left out.
    target_compile_definitions(prof_test_options INTERFACE PROF_SANITIZED)
  endif()
  prof_add_precompiled_headers(prof_test_headers ${prof_common_headers} <gmock/gmock.h>
    <gtest/gtest.h>)
  target_link_libraries(prof_test_headers PRIVATE prof_test_options GTest::gmock)
  set_target_properties(prof_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endif()

function(prof_precompile_test target)
  target_link_libraries(${target} PRIVATE prof_test_options)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${target} REUSE_FROM prof_test_headers)
endfunction()

function(prof_cuda_batches out)
  set(batches ${ARGN})
  if(CMAKE_UNITY_BUILD)
    set(batches)
    set(number 0)
    list(LENGTH ARGN size)
    if(CMAKE_UNITY_BUILD_BATCH_SIZE GREATER 0)  # 0: all in one
      set(size ${CMAKE_UNITY_BUILD_BATCH_SIZE})
    endif()
    while(ARGN)
      list(SUBLIST ARGN 0 ${size} files)
      list(REMOVE_ITEM ARGN ${files})
      list(TRANSFORM files REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"" OUTPUT_VARIABLE lines)
      list(JOIN lines "\n" lines)
      set(batch ${CMAKE_CURRENT_BINARY_DIR}/${out}_${number}.cu)
      file(CONFIGURE OUTPUT ${batch} CONTENT "${lines}\n" @ONLY)
      list(APPEND batches ${batch})
      math(EXPR number "${number} + 1")
    endwhile()
  endif()
  set_source_files_properties(${batches} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${out} ${batches} PARENT_SCOPE)
endfunction()
