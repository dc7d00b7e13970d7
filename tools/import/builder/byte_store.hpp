// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ByteStore: keeps byte strings of any number in a scratch file, for items that are sorted on disk
// and must be plain data. What is read in about the order in which it was added costs few reads.
// One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/result.hpp"
#include "libprof/base/scratch_file.hpp"
#include "tools/import/builder/scratch_name.hpp"

namespace prof::importers {

class ByteStore {
 public:
  /// Where bytes are kept; of size 0: none.
  struct Place {
    std::uint64_t at = 0;
    std::uint32_t size = 0;
  };

  explicit ByteStore(std::string folder) : file_(scratch_in(std::move(folder))) {}

  Result<Place> add(std::string_view bytes) {
    const Place place{file_.size() + pending_.size(), static_cast<std::uint32_t>(bytes.size())};
    pending_ += bytes;
    if (pending_.size() >= kBufferBytes) {
      PROF_TRY(file_.append(std::as_bytes(std::span(pending_))));
      pending_.clear();
    }
    return place;
  }

  /// Valid until the next call.
  Result<std::string_view> get(Place place) {
    if (place.size == 0) return std::string_view();
    if (place.at >= file_.size()) {
      return std::string_view(pending_).substr(place.at - file_.size(), place.size);
    }
    if (place.at < window_at_ || place.at + place.size > window_at_ + window_.size()) {
      window_.resize(std::min<std::uint64_t>(std::max<std::uint64_t>(kBufferBytes, place.size),
                                             file_.size() - place.at));
      window_at_ = place.at;
      PROF_TRY(file_.read(window_at_, std::as_writable_bytes(std::span(window_))));
    }
    return std::string_view(window_).substr(place.at - window_at_, place.size);
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

  ScratchFile file_;
  std::string pending_;  // not yet in the file
  std::string window_;   // of the file, last read
  std::uint64_t window_at_ = 0;
};

}  // namespace prof::importers
