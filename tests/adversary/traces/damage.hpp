// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done to a trace before it is read: rows that say impossible things, a schema that is not
// ours, pages that are damaged or point where they should not, and foreign files beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace prof::adversary {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Items>
  const auto& one_of(const Items& items) {
    return items[below(std::size(items))];
  }
  std::uint64_t number() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

std::string read_whole(const std::string& path);
void write_whole(const std::string& path, const std::string& bytes);

/// Damages the trace at `path` and puts files beside it; `bystander` is one that must survive.
/// Returns what was done, in a line.
std::string damage_trace(const std::string& path, const std::string& bystander, Random& random);

/// The same for a stream's text: lines that were not written so.
std::string damage_stream(std::string& text, Random& random);
/// What a file holds, plain or gzip.
std::string decompress(const std::string& path);
/// As gzip, now and then cut or damaged.
std::string compress(const std::string& text, Random& random);

}  // namespace prof::adversary
