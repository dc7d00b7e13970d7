# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes OUTPUT, the source of prof_build_commit: COMMIT, or else what GIT says of SOURCE_DIR, or
# else nothing. See build_commit.cmake.
if(GIT AND NOT COMMIT)
  execute_process(COMMAND ${GIT} rev-parse --short=9 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(COMMIT)
    string(PREPEND COMMIT g)
  endif()
endif()
# Not CONFIGURE: what is equal must be new as well, or it is made in each build.
file(WRITE ${OUTPUT} "#include \"tools/common/version.hpp\"\n
namespace prof::tools {
std::string_view build_commit() { return \"${COMMIT}\"; }
}\n")
