// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of reports: which there are is decided in builtin/ and compat/.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tools/report/query/report.hpp"

namespace prof::reports {

/// Reports that answer one kind of question.
struct ReportGroup {
  std::string_view purpose;
  std::vector<const Report*> reports = {};
};

/// Another name of a report.
struct OldName {
  std::string_view old, name;
};

class Registry {
 public:
  /// The reports added from now on are for `purpose`.
  void begin_group(std::string_view purpose) { groups_.push_back({purpose}); }
  void add(std::unique_ptr<const Report> report);
  /// They must outlive the registry.
  void add_old_names(std::span<const OldName> names) { old_names_ = names; }
  /// By its name or an old one. Null if no report has the name.
  [[nodiscard]] const Report* find(std::string_view name) const;
  /// In list order; the first is the default.
  [[nodiscard]] std::span<const std::unique_ptr<const Report>> all() const { return reports_; }
  /// In list order.
  [[nodiscard]] std::span<const ReportGroup> groups() const { return groups_; }

 private:
  std::vector<ReportGroup> groups_;
  std::vector<std::unique_ptr<const Report>> reports_;
  std::span<const OldName> old_names_;
};

}  // namespace prof::reports
