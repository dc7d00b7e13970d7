# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What is installed: the programs, the collector, the library with its headers, a CMake package
# (find_package(prof): prof::prof, prof::annotate), a pkg-config file, the Python packages and the
# documentation, whose pages messages name as docs/PAGE.md. tests/install checks it.
#
# Components, which packages (packages.cmake) are made of: programs, libraries, development, python.
include(CMakePackageConfigHelpers)

# What is loaded into programs has no place among the libraries that programs are linked to.
set(PROF_INSTALL_COLLECTORDIR ${CMAKE_INSTALL_LIBDIR}/prof)

install(TARGETS prof-report prof-import RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  COMPONENT programs)
install(FILES README.md AGENTS.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICES.md SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/prof COMPONENT programs)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/prof COMPONENT programs
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.webp" PATTERN "docs/examples/*")
# prof-run adds them to PYTHONPATH: they do not belong to a particular Python installation.
set(prof_python tools/python/prof_torch tools/python/prof_trace)
install(DIRECTORY ${prof_python} DESTINATION ${CMAKE_INSTALL_DATADIR}/prof/python COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

if(PROF_HAVE_CUDA)
  install(TARGETS prof-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  install(TARGETS ${PROF_INTERPOSERS} prof_inject prof_nccl prof_osrt prof_torch
    LIBRARY DESTINATION ${PROF_INSTALL_COLLECTORDIR} COMPONENT libraries)
  install(TARGETS prof prof_annotate EXPORT prof-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries
      NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY libprof/include/prof libprof/annotate/include/prof
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
  install(EXPORT prof-targets NAMESPACE prof:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prof
    COMPONENT development)

  configure_package_config_file(cmake/prof-config.cmake.in prof-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prof)
  write_basic_package_version_file(prof-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/prof-config.cmake
    ${PROJECT_BINARY_DIR}/prof-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prof COMPONENT development)
  file(RELATIVE_PATH prof_pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  cmake_path(NORMAL_PATH prof_pc_up)
  string(REGEX REPLACE "/$" "" prof_pc_prefix "\${pcfiledir}/${prof_pc_up}")
  configure_file(cmake/prof.pc.in prof.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/prof.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endif()

# All of that, and nothing else.
add_custom_target(installed_files DEPENDS prof-report prof-import manuals)
if(PROF_HAVE_CUDA)
  add_dependencies(installed_files prof-run ${PROF_INTERPOSERS} prof_inject prof_nccl prof_osrt
    prof_torch prof prof_annotate)
endif()
if(PROF_HAVE_FLEET)
  add_dependencies(installed_files prof-fleet)
endif()
