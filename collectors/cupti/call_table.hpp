// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All functions of one callback domain by CUPTI's number (cbid), with name and class. Built once
// from the names of the CUPTI in use, then only read, by any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectors/cupti/call_class.hpp"

namespace prof::collectors {

class CallTable {
 public:
  struct Entry {
    /// Plain name; points into the original one, which must live forever.
    std::string_view name;
    CallClass call = CallClass::kOther;
    SyncRecord::Type wait = SyncRecord::Type::kUnknown;
    bool is_per_thread = false;  ///< Its default stream is that of the calling thread.
  };

  /// `name_of(cbid)` returns CUPTI's name or null. Numbers are tried from 1 until many in a row
  /// have no name.
  template <typename NameOf>
  void build(NameOf name_of) {
    entries_.assign(1, Entry{});
    std::uint32_t unnamed = 0;
    for (std::uint32_t cbid = 1; unnamed < kMaxGap && cbid < kMaxFunctions; ++cbid) {
      const char* name = name_of(cbid);
      unnamed = name == nullptr ? unnamed + 1 : 0;
      entries_.push_back(name == nullptr ? Entry{} : make_entry(name));
    }
    entries_.resize(entries_.size() - unnamed);
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  [[nodiscard]] Entry at(std::uint32_t cbid) const {
    return cbid < entries_.size() ? entries_[cbid] : Entry{};
  }

  /// The first function with that plain name, or 0.
  [[nodiscard]] std::uint32_t find(std::string_view name) const {
    for (std::uint32_t cbid = 1; cbid < size(); ++cbid) {
      if (entries_[cbid].name == name) return cbid;
    }
    return 0;
  }

 private:
  static Entry make_entry(std::string_view name) {
    return {plain_function_name(name), classify_call(name), wait_of(name),
            name.find("_pts") != std::string_view::npos};
  }

  static constexpr std::uint32_t kMaxGap = 64;
  static constexpr std::uint32_t kMaxFunctions = 8192;

  std::vector<Entry> entries_;
};

}  // namespace prof::collectors
