// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See ledger_file.hpp.
#include "common/ledger_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace ref {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path, int error) {
  throw std::runtime_error("cannot write the ledger to " + (path == "-" ? "stdout" : path) + ": " +
                           std::generic_category().message(error));
}

// C's streams keep errno, C++'s do not promise it.
void write_all(const std::string& text, std::FILE* file, const std::string& path) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) fail(path, errno);
}

}  // namespace

void write_ledger(const Ledger& ledger, const std::string& path) {
  std::ostringstream text;
  ledger.write_json(text);
  if (path == "-") {
    write_all(text.str(), stdout, path);
    return;
  }
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (!file) fail(path, errno);
  write_all(text.str(), file.get(), path);
  if (std::fclose(file.release()) != 0) fail(path, errno);
}

}  // namespace ref
