// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Owner: which rows of a database belong to one process. Calls and markers name theirs; GPU work
// and waits do not, and belong to the process whose call has their correlation. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "tools/import/importer.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers::nvprof {

/// Processes that have calls or markers, by their numbers; if there are none, one without a number.
Result<std::vector<Process>> find_processes(TableFile& file);

class Owner {
 public:
  /// `all`: of find_processes(), with `process`.
  static Result<Owner> open(TableFile& file, const Process& process, std::span<const Process> all);

  [[nodiscard]] bool owns_process(std::uint32_t pid) const {
    return is_only_ || pid == pid_ || (is_first_ && !is_known(pid));
  }

  enum class Work : std::uint8_t {
    kOwn,
    kOther,      ///< The work of another process.
    kAmbiguous,  ///< Calls of several processes have its correlation, so it is tied to none.
  };
  /// Work that no call launched, and ambiguous work, belongs to the first process.
  [[nodiscard]] Work of_work(Correlation correlation) const;
  [[nodiscard]] bool is_first() const { return is_first_; }
  [[nodiscard]] bool is_only() const { return is_only_; }

 private:
  using Launch = std::pair<Correlation, std::uint32_t>;  // and the process

  Owner(const Process& process, std::span<const Process> all);
  [[nodiscard]] bool is_known(std::uint32_t pid) const;
  Status read_launches(TableFile& file);

  bool is_only_, is_first_;
  std::uint32_t pid_;
  std::vector<std::uint32_t> pids_;
  std::vector<Launch> launches_;  // sorted; empty if there is one process
};

}  // namespace prof::importers::nvprof
