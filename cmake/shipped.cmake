# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof_ship(TARGET [SHARED_UNWINDER]): a program or library that users get. What is built on Debian
# 12 then runs wherever glibc is 2.34 or newer (RHEL 9, Ubuntu 22.04), whatever C++ runtime is there:
# that is linked in. In libraries it is hidden: the program that one is loaded into has its own.
# scripts/check_floor.py reads what was built.
#
# SHARED_UNWINDER: exceptions of others pass through the library, so that its unwinder is theirs.
function(prof_ship target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED_UNWINDER" "" "")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
  if(PROF_SANITIZE)
    return()
  endif()
  target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--gc-sections)
  if(arg_SHARED_UNWINDER)
    target_link_options(${target} PRIVATE -shared-libgcc)
  else()
    target_link_options(${target} PRIVATE -static-libgcc)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:prof_find_object>)
  endif()
endfunction()
