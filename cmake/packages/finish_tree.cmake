# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What distributions have otherwise than `cmake --install`: run by cpack on the installed tree,
# before it makes a package of it.
if(NOT CPACK_GENERATOR MATCHES "^(DEB|RPM)$")
  return()
endif()
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*.1)
list(FILTER pages INCLUDE REGEX "/man/man1/")
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
if(CPACK_GENERATOR STREQUAL "RPM")
  return()
endif()

# Of Debian's packages, each is a folder.
set(programs ${CPACK_TEMPORARY_DIRECTORY}/programs/usr)
set(python ${CPACK_TEMPORARY_DIRECTORY}/python/usr)
# Debian's zsh looks elsewhere for completions of packages.
file(RENAME ${programs}/share/zsh/site-functions ${programs}/share/zsh/vendor-completions)
# Every package has the licence as its file `copyright`.
file(REMOVE ${programs}/share/doc/prof/LICENSE)

# For Debian's Python, the packages are where it looks; prof-run finds them by links.
set(packages ${python}/lib/python3/dist-packages)
file(MAKE_DIRECTORY ${packages})
foreach(name prof_torch prof_trace)
  file(RENAME ${python}/share/prof/python/${name} ${packages}/${name})
  file(CREATE_LINK ../../../lib/python3/dist-packages/${name} ${python}/share/prof/python/${name}
    SYMBOLIC)
endforeach()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(tree ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  file(MAKE_DIRECTORY ${tree}/doc/${name})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright ${tree}/doc/${name}/copyright COPYONLY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../../NOTICES.md ${tree}/doc/${name}/NOTICES.md COPYONLY)
  set(changelog ${tree}/doc/${name}/changelog.Debian)
  file(WRITE ${changelog} "prof (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) "
    "unstable; urgency=medium\n\n  * See CHANGELOG.md of package prof.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${name}/lintian-overrides)
    file(MAKE_DIRECTORY ${tree}/lintian/overrides)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}/lintian-overrides
      ${tree}/lintian/overrides/${name} COPYONLY)
  endif()
endforeach()
