# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Read by cpack for each generator (packages.cmake).
if(CPACK_GENERATOR MATCHES "^(DEB|RPM)$")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
