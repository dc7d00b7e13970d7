# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# How our code is compiled: language, warnings, sanitizers, output folders. Each of our targets
# links prof_options PRIVATE; third-party code never sees it.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Against -O3 a tenth less to compile, and as fast (docs/testing.md).
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler collects its garbage at a gigabyte, not at 128 MiB.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(prof_options INTERFACE)
target_include_directories(prof_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(prof_options INTERFACE PROF_VERSION_STRING="${PROJECT_VERSION}")
target_compile_options(prof_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Wnon-virtual-dtor;-Wold-style-cast>
  # g++ 12 gives false warnings about std::string's operator+ (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  # To a unity batch, each source is a header, whose types must not refer to anonymous namespaces.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  # __FILE__ names a file as the project does, wherever it is built.
  $<$<COMPILE_LANGUAGE:CXX,C>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(PROF_WERROR)
  target_compile_options(prof_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX,C>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror -Werror=all-warnings>)
endif()
if(PROF_SANITIZE)
  # For the whole program, but only for C++: nvcc's host code is not sanitized.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-fsanitize=${PROF_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX,C>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${PROF_SANITIZE})
  if(PROF_SANITIZE MATCHES "undefined")
    # Null pointers are the address sanitizer's; the checks that are left out take half of the
    # compiler's time.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-fno-sanitize-recover=undefined>
      "$<$<COMPILE_LANGUAGE:CXX,C>:-fno-sanitize=null,vptr,object-size,pointer-overflow,alignment,returns-nonnull-attribute,nonnull-attribute>")
  endif()
endif()
