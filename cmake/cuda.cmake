# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds the CUDA toolkit. Without one, the analyzers, the reports and their tests are still built.
# Sets PROF_HAVE_CUDA and PROF_CUDA_INCLUDE_DIR (cupti.h, nvtx3/, cuda.h).
set(PROF_HAVE_CUDA OFF)
set(prof_left_out
  "the collector, prof-run, libprof, prof/annotate.hpp and the reference models are left out")

if(NOT PROF_WITH_CUDA)
  message(STATUS "CUDA: ${prof_left_out}, because PROF_WITH_CUDA is OFF")
  return()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  # Machine code for Ampere and Hopper; newer GPUs use Hopper's PTX.
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90 CACHE STRING "GPU architectures of the reference models")
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
endif()
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS
    "CUDA: ${prof_left_out}, because no nvcc was found (set CUDACXX or add it to PATH)")
  return()
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # CMake 3.25.1 (Debian 12) does not know that nvcc 12 and newer compile C++20.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
# For projects of 3.25 and newer, Debian 12's CMake (3.25.1) deprecates nvToolsExt, which CUDA 13 no
# longer has, and fails.
set(prof_minimum ${CMAKE_MINIMUM_REQUIRED_VERSION})
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
find_package(CUDAToolkit QUIET)
set(CMAKE_MINIMUM_REQUIRED_VERSION ${prof_minimum})
find_path(PROF_CUPTI_INCLUDE_DIR cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
  ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
find_path(PROF_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
if(NOT CUDAToolkit_FOUND OR NOT PROF_CUPTI_INCLUDE_DIR OR NOT PROF_NVTX_INCLUDE_DIR)
  message(STATUS
    "CUDA: ${prof_left_out}, because cupti.h or nvtx3/ was not found in the toolkit (${CMAKE_CUDA_COMPILER})")
  return()
endif()
# Records and functions that older headers lack; at run time older drivers and CUPTIs will do.
file(STRINGS ${PROF_CUPTI_INCLUDE_DIR}/cupti_activity.h prof_newest_kernel
  REGEX "} CUpti_ActivityKernel10;" LIMIT_COUNT 1)
file(STRINGS ${PROF_CUPTI_INCLUDE_DIR}/cupti_callbacks.h prof_subscribe_v2
  REGEX "cuptiSubscribe_v2" LIMIT_COUNT 1)
if(NOT prof_newest_kernel OR NOT prof_subscribe_v2)
  message(FATAL_ERROR "CUDA: the headers of CUPTI in ${PROF_CUPTI_INCLUDE_DIR} are older than those "
    "of CUDA 13.0 (toolkit ${CUDAToolkit_VERSION}). Build with the toolkit of CUDA 13.0 or newer; "
    "what is built runs with older drivers.")
endif()
set(PROF_HAVE_CUDA ON)
set(PROF_CUDA_INCLUDE_DIR ${CUDAToolkit_INCLUDE_DIRS} ${PROF_CUPTI_INCLUDE_DIR}
  ${PROF_NVTX_INCLUDE_DIR})
list(REMOVE_DUPLICATES PROF_CUDA_INCLUDE_DIR)

# The toolkit's headers, as system headers, for code that needs only declarations.
add_library(prof_cuda_headers INTERFACE)
target_include_directories(prof_cuda_headers SYSTEM INTERFACE ${PROF_CUDA_INCLUDE_DIR})
message(STATUS "CUDA: toolkit ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
