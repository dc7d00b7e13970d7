# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What `cpack -G DEB`, `-G RPM` and `-G TGZ` make of the installed tree: Debian packages prof,
# libprof1, libprof-dev and python3-prof; one RPM; a folder to be put anywhere.
# scripts/build_packages.sh makes all of them, each with its distribution's library folder.
# packages/per_generator.cmake has what differs between them.
set(PROF_PACKAGE_CONTACT "The libprof authors <packages@libprof.invalid>" CACHE STRING
  "Who answers for the packages")

set(CPACK_PACKAGE_NAME prof)
set(CPACK_PACKAGE_VENDOR "The libprof authors")
set(CPACK_PACKAGE_CONTACT "${PROF_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "kernel-attribution profiler for NVIDIA GPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME prof-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/packages/per_generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/packages/finish_tree.cmake)
set(PROF_PACKAGES_DIR ${CMAKE_CURRENT_LIST_DIR}/packages)
set(CPACK_COMPONENTS_ALL programs libraries development python)

set(description [[
libprof records each kernel launch of any CUDA program with its NVTX range
stack, and reports each kernel's layer, op, direction, GEMM sizes, FLOPs, bytes
and time. The trace is an SQLite file.]])
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "${description}

This package has the programs: prof-run captures, prof-report reads,
prof-import converts other profilers' files, prof-fleet keeps histories.")
set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "${description}

This package has the library that programs start a capture with, and the
collector that is loaded into them.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${description}

This package has the headers: prof/prof.h starts a capture, prof/annotate.hpp
names layers and ops.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${description}

This package has the Python packages: prof_torch marks modules, ops and steps
of PyTorch programs, prof_trace reads traces.")
set(CPACK_PACKAGE_DESCRIPTION "${description}")

# --- .deb: the dependencies on others' libraries are found by dpkg-shlibdeps.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME prof)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libprof1 ${same_version}")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "python3-prof ${same_version}")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "libcurl4")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libprof1)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${PROF_PACKAGES_DIR}/libprof1/shlibs
  ${PROF_PACKAGES_DIR}/libprof1/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libprof-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libprof1 ${same_version}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-prof)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "prof ${same_version}, python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROF_PACKAGES_DIR}/python3-prof/postinst
  ${PROF_PACKAGES_DIR}/python3-prof/prerm)

# --- .rpm: one for all; rpmbuild finds the dependencies.
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP "Development/Tools")
set(CPACK_RPM_COMPRESSION_TYPE xz)
# Programs need no pkg-config because of the file for it, and nothing needs the collector's libraries
# by their names.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __requires_exclude ^/usr/bin/pkg-config$
%global __provides_exclude_from ^/usr/lib64/prof/")
# Folders that other packages have, too.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/lib64/cmake /usr/lib64/pkgconfig
  /usr/share/man /usr/share/man/man1 /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions
  /usr/share/fish /usr/share/fish/vendor_completions.d)

include(CPack)
