// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums: what the rows of a group add up to, and SumKind: the columns that print it. Roll-ups and
// the temporary files of their groups know nothing else about it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/report/rows/durations.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {

/// Heavier groups come first: by the first number, of equal ones by the second.
using Weight = std::array<std::uint64_t, 2>;

class Sums {
 public:
  Sums() = default;
  Sums& operator=(const Sums&) = default;
  virtual ~Sums() = default;

  /// The known durations of the rows. Their values are kept if the empty sums said so.
  Durations durations;

  virtual void add(Row& row) = 0;
  /// To the sums over all groups: what their columns need of these.
  virtual void add_to_all(Row& row) { add(row); }
  /// Sums of the same class.
  virtual void merge(const Sums& other) = 0;
  [[nodiscard]] virtual Weight weight() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Sums> copy() const = 0;
  /// Size of the object.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // As bytes, for groups that are kept in temporary files.
  virtual void append(std::string& to) const = 0;
  virtual void take(std::string_view& bytes) = 0;

 protected:
  Sums(const Sums&) = default;
};

/// Sums that are made of plain values, and of durations.
template <typename Derived, typename Plain>
class PlainSums : public Sums, public Plain {
 public:
  [[nodiscard]] std::unique_ptr<Sums> copy() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  [[nodiscard]] std::size_t bytes() const override { return sizeof(Derived); }
  void append(std::string& to) const override {
    append_plain(static_cast<const Plain&>(*this), to);
    durations.append(to);
  }
  void take(std::string_view& bytes) override {
    static_cast<Plain&>(*this) = take_plain<Plain>(bytes);
    durations.take(bytes);
  }
};

struct SumField {
  /// `Function` is a lambda without captures that makes a cell of the sums of a group and of those
  /// over all groups, both of a class derived from Sums.
  template <typename Function>
  constexpr SumField(const Column& of, Function, Role in = Role::kValue, bool needs_each = false)
      : column(of), value(cell_by<Function>), role(in), of_each(needs_each) {}

  Column column;
  Cell (*value)(const Sums& sums, const Sums& all);
  Role role;
  bool of_each;  ///< Computed from each row's duration, which the sums then keep.

 private:
  template <typename Function, typename SumsType>
  static Cell call(const Sums& sums, const Sums& all,
                   Cell (Function::*)(const SumsType&, const SumsType&) const) {
    return Function{}(static_cast<const SumsType&>(sums), static_cast<const SumsType&>(all));
  }
  template <typename Function>
  static Cell cell_by(const Sums& sums, const Sums& all) {
    return call(sums, all, &Function::operator());
  }
};

struct SumKind {
  std::span<const SumField> fields;
  std::unique_ptr<Sums> (*empty)() = nullptr;
  /// Columns by which rows are always grouped, with Role::kOnRequest if they are asked for; such
  /// groups have no total. Empty: by any columns of the rows.
  std::span<const Field> keys = {};
  /// Null: every row is in a group. Others are in the sums over all groups alone.
  bool (*is_in_group)(Row& row) = nullptr;
};

}  // namespace prof::reports
