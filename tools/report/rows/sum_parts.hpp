// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of sums of kernels (rows/sums.hpp). Absent values are left out, as SQL leaves NULL out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/model/times.hpp"
#include "tools/report/table/cell.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {

/// Whole numbers, as of times, of which there may be none.
struct WholeSum {
  std::int64_t sum = 0;
  std::uint64_t count = 0;

  void add(std::int64_t value) {
    add_time(sum, value);
    ++count;
  }
  void merge(const WholeSum& other) {
    add_time(sum, other.sum);
    count += other.count;
  }
  [[nodiscard]] Cell cell() const { return count > 0 ? signed_number(sum) : absent(); }
};

/// Real numbers, likewise.
struct RealSum {
  double sum = 0;
  std::uint64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  void merge(const RealSum& other) {
    sum += other.sum;
    count += other.count;
  }
  [[nodiscard]] Cell cell() const { return count > 0 ? real(sum) : absent(); }
  /// Absent if either is.
  [[nodiscard]] Cell over(double other, double unit = 1) const {
    return count > 0 && other != 0 ? real(unit * sum / other) : absent();
  }
};

/// The mean of a number over the time of the rows that have it.
struct MeanOverTime {
  RealSum product;
  std::int64_t time_ns = 0;

  void add(const std::optional<double>& value, std::int64_t duration_ns) {
    if (!value) return;
    product.add(static_cast<double>(duration_ns) * *value);
    add_time(time_ns, duration_ns);
  }
  void merge(const MeanOverTime& other) {
    product.merge(other.product);
    add_time(time_ns, other.time_ns);
  }
  [[nodiscard]] Cell cell() const { return product.over(static_cast<double>(time_ns)); }
};

/// The least and the most of real numbers, likewise.
struct Extent {
  double least = 0, most = 0;
  bool is_known = false;

  void add(const std::optional<double>& value) {
    if (value) merge({.least = *value, .most = *value, .is_known = true});
  }
  void merge(const Extent& other) {
    if (!other.is_known) return;
    least = is_known ? std::min(least, other.least) : other.least;
    most = is_known ? std::max(most, other.most) : other.most;
    is_known = true;
  }
  [[nodiscard]] bool is_one() const { return is_known && least == most; }
};

/// A text that all rows that have one share, or "several".
class SharedText {
 public:
  void add(std::string_view text) {
    if (text.empty() || text == text_) return;
    text_ = text_.empty() ? text : kSeveral;
  }
  void merge(const SharedText& other) { add(other.text_); }
  [[nodiscard]] Cell cell() const { return text(text_); }
  void append(std::string& to) const {
    append_plain(text_.size(), to);
    to += text_;
  }
  void take(std::string_view& bytes) {
    const auto size = take_plain<std::size_t>(bytes);
    text_ = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }

 private:
  static constexpr std::string_view kSeveral = "several";
  std::string text_;
};

/// Absent if the cell is no real number.
inline std::optional<double> real_in(const Cell& cell) {
  const auto* const value = std::get_if<double>(&cell);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// Merges the named parts of sums.
template <typename Plain, typename... Part>
void merge_each(Plain& sums, const Plain& others, Part Plain::*... parts) {
  ((sums.*parts).merge(others.*parts), ...);
}

}  // namespace prof::reports
