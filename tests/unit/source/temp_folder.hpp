// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A temporary folder for a test, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace prof {

class TempFolder {
 public:
  TempFolder() {
    std::string folder = (std::filesystem::temp_directory_path() / "prof_test_XXXXXX").string();
    if (mkdtemp(folder.data()) != nullptr) folder_ = folder;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name = "") const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace prof
