// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/processes.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "libprof/base/ascii.hpp"
#include "libprof/base/scratch_file.hpp"
#include "libprof/source/gz_bytes.hpp"
#include "tools/import/builder/external_sort.hpp"
#include "tools/import/kineto/categories.hpp"
#include "tools/import/kineto/event_reader.hpp"
#include "tools/import/kineto/numbers.hpp"

namespace prof::importers {
namespace {

/// GPUs are processes in a file, too, by their small numbers.
constexpr std::uint64_t kFirstHostPid = 16;
/// More processes are as good as several.
constexpr std::size_t kMaxSeen = 4096;
constexpr std::size_t kMaxNameBytes = 256;

/// "[TP01] " of "[TP01] 84".
std::string_view label_in(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Finds the values of "pid" without parsing: much faster, and most files have one process.
class PidScanner {
 public:
  void take(std::string_view bytes) {
    for (const char c : bytes) take(c);
  }
  /// There may be several processes.
  [[nodiscard]] bool has_several() const {
    std::size_t hosts = 0;
    for (const std::string& name : names_) {
      const bool is_number = label_in(name).empty();
      hosts += is_number ? pid_in(name) >= kFirstHostPid : is_digit(name.back());
    }
    return hosts > 1;
  }

 private:
  static constexpr std::string_view kKey = "\"pid\"";

  void take(char c) {
    if (matched_ < kKey.size()) {
      matched_ = c == kKey[matched_] ? matched_ + 1 : (c == kKey[0] ? 1 : 0);
      return;
    }
    const bool is_blank = c == ' ' || c == ':' || c == '"' || c == '\n' || c == '\t' || c == '\r';
    const bool is_end = c == ',' || c == '}' || (c == '"' && !name_.empty());
    if (is_end || name_.size() > kMaxNameBytes) {
      if (!name_.empty() && names_.size() < kMaxSeen) names_.insert(name_);
      name_.clear();
      matched_ = 0;
    } else if (!is_blank || (c == ' ' && !name_.empty())) {
      name_ += c;
    }
  }

  std::set<std::string> names_;
  std::string name_;
  std::size_t matched_ = 0;
};

Result<bool> may_have_several(const std::string& path) {
  GzBytes bytes(path);
  PidScanner scanner;
  std::string chunk(GzBytes::kChunkBytes, '\0');
  while (const std::size_t read = bytes.read(chunk.data())) {
    scanner.take(std::string_view(chunk).substr(0, read));
  }
  // Reading the file reports what is wrong with it.
  return bytes.problem().empty() && scanner.has_several();
}

/// A launch of a process, or work of a GPU.
struct Numbered {
  Correlation correlation = 0;
  std::uint32_t of = 0;
  friend bool operator<(const Numbered& a, const Numbered& b) {
    return std::pair(a.correlation, a.of) < std::pair(b.correlation, b.of);
  }
};

/// Names in the order in which they come.
class Names {
 public:
  std::uint32_t number_of(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, numbers_.size());
    if (is_new) all_.push_back(name);
    return static_cast<std::uint32_t>(found->second);
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> all_;
};

/// Reads all events to find the processes of a file, and whose each GPU is.
class Inventory {
 public:
  explicit Inventory(const std::string& folder) : launches_(folder), work_(folder) {}

  Result<std::vector<Process>> of(const std::string& path) {
    const TraceVisitor visitor = {
        [](const TraceFact&) {}, [this](const TraceEvent& event) { return take(event); }, {}};
    const Result<ReadTrace> read = read_chrome_trace(path, visitor);
    if (!read) return read.error();
    PROF_TRY(count_votes());
    std::vector<Process> made;
    for (const std::string& name : hosts_.all()) {
      made.push_back({made.size() + 1, pid_in(name), name, {}});
    }
    if (made.size() < 2) return std::vector<Process>(1);
    for (std::uint32_t gpu = 0; gpu < gpus_.all().size(); ++gpu) {
      if (const auto owner = owner_of(gpu)) made[*owner].devices.push_back(gpus_.all()[gpu]);
    }
    return made;
  }

 private:
  Status take(const TraceEvent& event) {
    const auto category = category_of(event);
    if (!category || event.process.text.size() > kMaxNameBytes) return {};
    const Correlation correlation = correlation_of(event);
    if (is_on_host(*category) && hosts_.all().size() < kMaxSeen) {
      const std::uint32_t host = hosts_.number_of(event.process.text);
      const bool is_call =
          *category == Category::kRuntimeCall || *category == Category::kDriverCall;
      return is_call ? launches_.add({correlation, host}) : Status();
    }
    if (is_on_gpu(*category) && gpus_.all().size() < kMaxSeen) {
      return work_.add({correlation, gpus_.number_of(event.process.text)});
    }
    return {};
  }

  Status count_votes() {
    take_launch();
    while (const Numbered* work = work_.next()) {
      if (owner_.correlation != work->correlation) find_owner(work->correlation);
      if (owner_.is_one) ++votes_[work->of][owner_.host];
    }
    PROF_TRY(launches_.status());
    return work_.status();
  }
  void take_launch() {
    const Numbered* const launch = launches_.next();
    ahead_ = launch == nullptr ? std::nullopt : std::optional(*launch);
  }
  void find_owner(Correlation correlation) {
    owner_ = {correlation, 0, false};
    while (ahead_ && ahead_->correlation < correlation) take_launch();
    if (!ahead_ || ahead_->correlation != correlation) return;
    owner_ = {correlation, ahead_->of, true};
    for (; ahead_ && ahead_->correlation == correlation; take_launch()) {
      owner_.is_one &= ahead_->of == owner_.host;
    }
  }

  /// The process with the same label; without labels, the one that all votes name.
  [[nodiscard]] std::optional<std::size_t> owner_of(std::uint32_t gpu) const {
    const std::string_view label = label_in(gpus_.all()[gpu]);
    if (!label.empty()) {
      const auto& hosts = hosts_.all();
      const auto same = std::ranges::find(hosts, label, label_in);
      if (same != hosts.end()) return static_cast<std::size_t>(same - hosts.begin());
    }
    const auto votes = votes_.find(gpu);
    if (votes == votes_.end() || votes->second.size() != 1) return std::nullopt;
    return votes->second.begin()->first;
  }

  Names hosts_, gpus_;
  ExternalSort<Numbered> launches_, work_;
  std::optional<Numbered> ahead_;  // the first launch that is not in owner_
  struct Owner {
    Correlation correlation = UINT64_MAX;
    std::uint32_t host = 0;
    bool is_one = false;  // no other process has launches with that number
  };
  Owner owner_;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> votes_;  // GPU, process
};

}  // namespace

Result<std::vector<Process>> kineto_processes(const Source& source) {
  const Result<bool> several = may_have_several(source.path);
  if (!several || !*several) return std::vector<Process>(1);
  try {
    return Inventory(temporary_place().folder).of(source.path);
  } catch (const std::exception& exception) {
    return Error{std::string("cannot be read: ") + exception.what(), source.path, ""};
  }
}

std::uint64_t pid_in(std::string_view name) {
  const std::string_view digits = name.substr(label_in(name).size());
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace prof::importers
