// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that a profiled program's process writes: made new, private to the user, never through a
// symbolic link, never over a file that somebody wants to keep. OutputFile checks before each write
// that its descriptor still names its file, because the program may close descriptors that are not
// its own and open others under the same number. It holds the lock of output_lock.hpp. One thread
// at a time.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/result.hpp"

namespace prof {

enum class Existing : bool {
  kRefuse,
  kReplace,  ///< Removes a finished file or a symbolic link first (output_lock.hpp).
};

/// Makes an empty file (mode 0600) and returns its descriptor (close-on-exec).
Result<int> create_output_file(const std::string& path, Existing existing);

/// `path` with its folder resolved, so that only the file itself could be a symbolic link.
Result<std::string> resolve_folder(const std::string& path);

/// Refuses what a trace cannot be called: its journal's name is longer, and SQLite takes paths of
/// 511 bytes.
Status check_length(const std::string& path);

/// Two ways to name one file of one folder.
bool is_same_output(const std::string& first, const std::string& second);

/// Which file a descriptor names.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Inode 0 where the descriptor is closed.
FileIdentity identify(int descriptor);
/// Of what lies at `path` itself, be it a link; inode 0 where nothing does.
FileIdentity identify(const std::string& path);

/// Tells a file from all that come after it under the same name, also where they get its inode;
/// empty where `path` is no regular file.
std::string fingerprint(const std::string& path);

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, Existing existing);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Closes the file, unless its descriptor is no longer its own.
  ~OutputFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Its path still names it: nobody has removed, moved or replaced it.
  [[nodiscard]] bool in_place() const { return identify(path_) == identity_; }

  /// Writes all bytes or tells why not. No SIGPIPE can come from it: the file is a regular one.
  Status write(std::string_view bytes);

 private:
  OutputFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor), identity_(identify(descriptor)) {}

  std::string path_;
  int descriptor_;
  FileIdentity identity_;
};

}  // namespace prof
