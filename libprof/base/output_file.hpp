// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Files written from inside a profiled program: newly created, private to the user, never through a
// symbolic link, never over a file that must be kept. OutputFile checks before each write that its
// descriptor still refers to its file (own_descriptors.hpp) and holds the lock of output_lock.hpp.
// One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/result.hpp"

namespace prof {

enum class Existing : bool {
  kRefuse,
  kReplace,  ///< Removes a finished file of ours first (output_removal.hpp).
};

/// Creates an empty file (mode 0600) and returns its descriptor (close-on-exec).
Result<int> create_output_file(const std::string& path, Existing existing);

/// `path` with its folder resolved, so that only the file itself could be a symbolic link.
Result<std::string> resolve_folder(const std::string& path);

/// The name for a file that one of several processes writes: "dir/trace.db" -> "dir/trace.1234.db";
/// with n above 1 "dir/trace.1234.2.db".
std::string name_of_other_process(std::string_view path, long pid, int n);

/// Refuses names too long for a trace: its journal's name is longer, and SQLite accepts paths of up
/// to 511 bytes.
Status check_length(const std::string& path);

/// Whether two paths name the same file in the same folder.
bool is_same_output(const std::string& first, const std::string& second);

/// The file that a descriptor refers to.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Inode 0 if the descriptor is closed.
FileIdentity identify(int descriptor);
/// Identifies the file at `path` itself, without following a link; inode 0 if there is none.
FileIdentity identify(const std::string& path);

/// Distinguishes a file from any later one of the same name, even if that one reuses its inode;
/// empty if `path` is not a regular file.
std::string fingerprint(const std::string& path);
/// For names that are known only later: matches any file that was last changed before that time.
std::string fingerprint_of_older(std::int64_t realtime_ns);
/// Whether the file at `path` has the fingerprint.
bool has_fingerprint(const std::string& path, const std::string& fingerprint);

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, Existing existing);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Closes the file, unless its descriptor now refers to something else.
  ~OutputFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  /// Whether the path still refers to the file: it was not removed, moved or replaced.
  [[nodiscard]] bool in_place() const { return identify(path_) == identity_; }

  /// Writes all bytes or returns an error. Never raises SIGPIPE: the file is a regular one.
  Status write(std::string_view bytes);

 private:
  OutputFile(std::string path, int descriptor);

  std::string path_;
  int descriptor_;
  FileIdentity identity_;
};

}  // namespace prof
