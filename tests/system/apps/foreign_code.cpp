// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that tells that it was loaded: with FOREIGN_MARK=FILE it makes that file.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace {

__attribute__((constructor)) void on_load() {
  const char* mark = std::getenv("FOREIGN_MARK");
  if (mark != nullptr) close(open(mark, O_WRONLY | O_CREAT, 0666));
}

}  // namespace
