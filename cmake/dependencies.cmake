# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Third-party libraries, each behind one target. All come from the system (Debian 12's packages;
# scripts/install_dependencies.sh installs them).
find_package(Threads REQUIRED)
find_package(SQLite3 3.35 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

# fmt becomes a part of what uses it. Its functions are compiled once: from its headers alone, each
# object would compile all of them again, which took half of a build. Debian has no archive of it,
# and later versions declare other templates.
if(fmt_VERSION VERSION_LESS 10)
  add_library(prof_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_functions.cpp)
  target_link_libraries(prof_options INTERFACE prof_fmt)
else()
  target_compile_definitions(prof_options INTERFACE FMT_HEADER_ONLY=1)
endif()

# Links SQLite statically if possible: the injected library must not collide with the program's own
# copy, and the tools then run on machines without SQLite.
add_library(prof_sqlite INTERFACE)
find_library(PROF_SQLITE_ARCHIVE NAMES libsqlite3.a)
if(PROF_SQLITE_ARCHIVE)
  target_link_libraries(prof_sqlite INTERFACE ${PROF_SQLITE_ARCHIVE} Threads::Threads
    ${CMAKE_DL_LIBS} m)
  target_include_directories(prof_sqlite SYSTEM INTERFACE ${SQLite3_INCLUDE_DIRS})
else()
  message(STATUS "SQLite: no libsqlite3.a; the collector will need the shared library")
  target_link_libraries(prof_sqlite INTERFACE SQLite::SQLite3)
endif()
add_library(prof::sqlite ALIAS prof_sqlite)

# The archive first, for the same reason; FindZLIB takes what is set here.
find_library(ZLIB_LIBRARY NAMES libz.a z)
find_package(ZLIB REQUIRED)

# Widths of characters, statically if possible, for the same reason. Debian has no package of CMake.
find_path(PROF_UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(PROF_UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc REQUIRED)
add_library(prof_utf8proc INTERFACE)
target_link_libraries(prof_utf8proc INTERFACE ${PROF_UTF8PROC_LIBRARY})
target_include_directories(prof_utf8proc SYSTEM INTERFACE ${PROF_UTF8PROC_INCLUDE_DIR})
add_library(prof::utf8proc ALIAS prof_utf8proc)

# Protocol buffers of other programs' formats: headers alone.
find_path(PROF_PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp REQUIRED)
add_library(prof_protozero INTERFACE)
target_include_directories(prof_protozero SYSTEM INTERFACE ${PROF_PROTOZERO_INCLUDE_DIR})
add_library(prof::protozero ALIAS prof_protozero)

# prof-fleet alone needs these, and of libcurl the headers.
find_package(CURL 7.85)
find_path(PROF_XXHASH_INCLUDE_DIR xxhash.h)
if(CURL_FOUND AND PROF_XXHASH_INCLUDE_DIR)
  set(PROF_HAVE_FLEET ON)
else()
  message(STATUS "prof-fleet is left out: it needs libcurl and xxhash.h (libcurl4-openssl-dev, libxxhash-dev)")
endif()

if(PROF_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(PROF_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark: not found, the micro-benchmarks are left out")
  endif()
endif()
