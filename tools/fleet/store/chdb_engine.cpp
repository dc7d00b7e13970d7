// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/chdb_engine.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace prof::fleet {
namespace {

constexpr const char* kHowToInstall =
    "install it by `npm install -g @chdb/lib-linux-x64-gnu`, or name the file libchdb.so in "
    "PROF_CHDB";

/// The part of libchdb's C interface (version 26) that is used, by the names of its functions.
struct Chdb {
  using Connection = void*;
  using Answer = void*;

  Connection* (*chdb_connect)(int argc, char** argv) = nullptr;
  void (*chdb_close_conn)(Connection* connection) = nullptr;
  Answer (*chdb_query_n)(Connection connection, const char* query, std::size_t query_length,
                         const char* format, std::size_t format_length) = nullptr;
  const char* (*chdb_result_error)(Answer answer) = nullptr;
  const char* (*chdb_result_buffer)(Answer answer) = nullptr;
  std::size_t (*chdb_result_length)(Answer answer) = nullptr;
  void (*chdb_destroy_query_result)(Answer answer) = nullptr;
  void (*chdb_set_signal_handlers_enabled)(bool enabled) = nullptr;
};

bool find_all(void* library, Chdb& chdb) {
  return find_function(library, "chdb_connect", chdb.chdb_connect) &&
         find_function(library, "chdb_close_conn", chdb.chdb_close_conn) &&
         find_function(library, "chdb_query_n", chdb.chdb_query_n) &&
         find_function(library, "chdb_result_error", chdb.chdb_result_error) &&
         find_function(library, "chdb_result_buffer", chdb.chdb_result_buffer) &&
         find_function(library, "chdb_result_length", chdb.chdb_result_length) &&
         find_function(library, "chdb_destroy_query_result", chdb.chdb_destroy_query_result) &&
         find_function(library, "chdb_set_signal_handlers_enabled",
                       chdb.chdb_set_signal_handlers_enabled);
}

/// Where it may be, in this order.
std::vector<std::string> places() {
  const char* const named = std::getenv("PROF_CHDB");  // NOLINT(concurrency-mt-unsafe)
  if (named != nullptr && *named != '\0') return {named};
  constexpr const char* kInPackage = "/@chdb/lib-linux-x64-gnu/libchdb.so";
  std::vector<std::string> found = {"libchdb.so", std::string("node_modules") + kInPackage};
  for (const char* root : {"/usr/local/lib", "/usr/lib", "/opt/node/lib"}) {
    found.push_back(std::string(root) + "/node_modules" + kInPackage);
  }
  // Beside the `node` that PATH finds: PREFIX/bin/node, PREFIX/lib/node_modules.
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path folder(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (folder.filename() != "bin") continue;
    found.push_back(folder.parent_path().string() + "/lib/node_modules" + kInPackage);
  }
  return found;
}

Result<Chdb> load() {
  Chdb chdb;
  std::string why;
  for (const std::string& path : places()) {
    // It stays for the rest of the process: it has threads.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const message = dlerror();
      const bool is_there = path.find('/') < path.size() && access(path.c_str(), F_OK) == 0;
      if (is_there || why.empty()) why = message == nullptr ? path : message;
      continue;
    }
    if (find_all(handle, chdb)) return chdb;
    return Error{"is another version of libchdb, without the functions of version 26", path,
                 kHowToInstall};
  }
  return Error{"the engine for a store that is a folder, chDB, cannot be loaded (" + why + ")",
               {},
               kHowToInstall};
}

/// Keeps other processes out of a folder.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::string& folder) {
    const std::string path = folder + "/prof-fleet.lock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return Error{std::strerror(errno), path, {}};
    FolderLock lock(file);
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
    return Error{"another prof-fleet has it open", folder, "wait until it is done"};
  }
  FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;
};

/// Rows in memory under the name of a file, since a statement's text cannot hold every byte.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("rows", MFD_CLOEXEC)) {
    std::size_t written = 0;
    while (file_ >= 0 && written < bytes.size()) {
      const ssize_t done = write(file_, bytes.data() + written, bytes.size() - written);
      if (done <= 0) break;
      written += static_cast<std::size_t>(done);
    }
    is_whole_ = file_ >= 0 && written == bytes.size();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_;
  bool is_whole_ = false;
};

class ChdbEngine final : public Engine {
 public:
  ChdbEngine(const Chdb& chdb, std::string folder, FolderLock lock, Chdb::Connection* connection)
      : chdb_(chdb), folder_(std::move(folder)), lock_(std::move(lock)), connection_(connection) {}
  ~ChdbEngine() override { chdb_.chdb_close_conn(connection_); }

  Status query(const std::string& sql, const TakeBytes& take) override;
  Status insert(const std::string& statement, std::string_view rows) override;
  [[nodiscard]] std::string name() const override { return folder_; }

 private:
  [[nodiscard]] Status status_of(Chdb::Answer answer) const {
    if (answer == nullptr) return Error{"chDB gives no answer", folder_, {}};
    const char* const message = chdb_.chdb_result_error(answer);
    if (message == nullptr || *message == '\0') return {};
    return Error{one_line(message), folder_, {}};
  }
  [[nodiscard]] Status ask(std::string_view statement, std::string_view format,
                           const TakeBytes& take) const {
    const Chdb::Answer answer = chdb_.chdb_query_n(*connection_, statement.data(), statement.size(),
                                                   format.data(), format.size());
    Status status = status_of(answer);
    const std::size_t length = status ? chdb_.chdb_result_length(answer) : 0;
    if (length > 0) take(std::string_view(chdb_.chdb_result_buffer(answer), length));
    destroy(answer);
    return status;
  }
  void destroy(Chdb::Answer answer) const {
    if (answer != nullptr) chdb_.chdb_destroy_query_result(answer);
  }

  Chdb chdb_;
  std::string folder_;
  FolderLock lock_;
  Chdb::Connection* connection_;
};

/// The format that a SELECT ends with: chDB takes it apart from the statement.
std::string_view format_of(std::string_view& sql) {
  constexpr std::string_view kFormat = " FORMAT ";
  const std::size_t at = sql.rfind(kFormat);
  if (at >= sql.size()) return {};
  const std::string_view format = sql.substr(at + kFormat.size());
  sql = sql.substr(0, at);
  return format;
}

Status ChdbEngine::query(const std::string& sql, const TakeBytes& take) {
  std::string_view statement = sql;
  const std::string_view format = format_of(statement);
  // Whole, in memory: its pieces, if chDB streams them, are documents of their own.
  return ask(statement, format.empty() ? "Null" : format, take);
}

Status ChdbEngine::insert(const std::string& statement, std::string_view rows) {
  const MemoryFile file(rows);
  if (!file.is_whole()) return Error{std::strerror(errno), folder_, "free some memory"};
  return ask(fmt::format("{} FROM INFILE '{}' FORMAT RowBinary", statement, file.path()), "Null",
             [](std::string_view) { return true; });
}

Status make_folder(const std::string& folder, bool may_make) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {};
  if (std::filesystem::exists(folder, error)) {
    return Error{"is a file", folder, "a store is a folder, or http://HOST:8123"};
  }
  if (!may_make) {
    return Error{"there is no such store", folder, "prof-fleet add makes it"};
  }
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder, {}};
  return {};
}

}  // namespace

Result<std::unique_ptr<Engine>> open_chdb(const std::string& folder, bool may_make) {
  const Result<Chdb> chdb = load();
  if (!chdb) return chdb.error();
  PROF_TRY(make_folder(folder, may_make));
  Result<FolderLock> lock = FolderLock::take(folder);
  if (!lock) return lock.error();
  // The program's own handlers stay: chDB's would print a stack.
  chdb->chdb_set_signal_handlers_enabled(false);
  std::string program = "prof-fleet", path = "--path=" + folder;
  std::array<char*, 2> words = {program.data(), path.data()};
  Chdb::Connection* const connection =
      chdb->chdb_connect(static_cast<int>(words.size()), words.data());
  if (connection == nullptr || *connection == nullptr) {
    return Error{"chDB cannot open it", folder,
                 "is the disk full, or the folder another program's?"};
  }
  return std::unique_ptr<Engine>(
      std::make_unique<ChdbEngine>(*chdb, folder, std::move(*lock), connection));
}

}  // namespace prof::fleet
