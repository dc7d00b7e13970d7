# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof_build_commit: a library of one function, the commit that is built, for --version. It is made
# anew when Git's log of HEAD changes; nothing else is compiled then, and the programs are linked.
# Where sources come without Git, PROF_COMMIT may name the commit.
set(PROF_COMMIT "" CACHE STRING "The commit that is built; empty: what Git says")

set(source ${PROJECT_BINARY_DIR}/generated/build_commit.cpp)
set(heads)
find_program(PROF_GIT git)
if(PROF_GIT AND NOT PROF_COMMIT)
  # Only of our own repository: sources may lie within another one.
  execute_process(COMMAND ${PROF_GIT} rev-parse --show-toplevel --git-path logs/HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE answer ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" answer "${answer}")
  list(LENGTH answer lines)
  if(lines EQUAL 2)
    list(GET answer 0 top)
    list(GET answer 1 log)
    cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(top PATH_EQUAL PROJECT_SOURCE_DIR AND EXISTS ${log})
      set(heads ${log})
    endif()
  endif()
endif()
add_custom_command(OUTPUT ${source}
  COMMAND ${CMAKE_COMMAND} -D GIT=$<IF:$<BOOL:${heads}>,${PROF_GIT},> -D COMMIT=${PROF_COMMIT}
    -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D OUTPUT=${source}
    -P ${CMAKE_CURRENT_LIST_DIR}/write_build_commit.cmake
  DEPENDS ${heads} ${CMAKE_CURRENT_LIST_DIR}/write_build_commit.cmake VERBATIM)
# Not in a batch: clang-tidy reads batches in a build where nothing is generated.
set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_library(prof_build_commit STATIC ${source})
add_library(prof::build_commit ALIAS prof_build_commit)
target_link_libraries(prof_build_commit PRIVATE prof_options)
