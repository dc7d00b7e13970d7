// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ResultFile: a report's file (-o). It is written beside its place and moved there when it is
// complete: a report that fails leaves an older file as it was. It replaces nothing that cannot be
// a report.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "libprof/base/result.hpp"

namespace prof::tools {

class ResultFile {
 public:
  static Result<ResultFile> create(const std::string& path);
  ResultFile(ResultFile&&) = default;
  ResultFile& operator=(ResultFile&&) = delete;
  ~ResultFile();

  [[nodiscard]] std::FILE* stream() const { return stream_.get(); }
  /// `error` is errno of a failed write, or 0. Moves the file into place, or removes it.
  Status finish(int error);

 private:
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  ResultFile(std::string path, std::string part, std::FILE* stream)
      : path_(std::move(path)), part_(std::move(part)), stream_(stream) {}

  std::string path_;
  std::string part_;  // empty: what is written goes to path_ itself, a device or a pipe
  std::unique_ptr<std::FILE, Close> stream_;
};

/// Both exist and are one file, by whatever names.
bool same_file(const std::string& a, const std::string& b);
/// The path is an existing folder, or ends in '/'.
bool names_folder(const std::string& path);
/// It is a folder, or nothing yet and has no extension.
bool can_be_folder(const std::string& path);
/// FOLDER/NAME.EXTENSION; makes the folder.
Result<std::string> file_in_folder(const std::string& folder, std::string_view name,
                                   std::string_view extension);

}  // namespace prof::tools
