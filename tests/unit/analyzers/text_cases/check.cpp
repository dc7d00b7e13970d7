// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/text_cases/check.hpp"

#include <algorithm>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/text_cases/cells.hpp"
#include "tests/unit/analyzers/text_cases/columns.hpp"
#include "tests/unit/analyzers/text_cases/player.hpp"

namespace prof::text_cases {
namespace {

/// "work=all held=100 cache=64 domains=mylib steps=PATTERN process_ranges=yes last=2".
struct Options {
  AttributorOptions attribution;
  std::size_t last = SIZE_MAX;  ///< So many rows at the end are in the table.
};

Options read_options(const Expectation& expected) {
  Options options;
  std::string_view text = expected.options;
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    const std::size_t at = std::min(word.find('='), word.size() - 1);
    const std::string_view name = word.substr(0, at);
    const std::string value(word.substr(at + 1));
    const auto number = [&] { return static_cast<std::uint32_t>(number_of(value).value_or(0)); };
    if (word == "work=all") {
      options.attribution.work = TraceReader::Work::kKernelsAndCopies;
    } else if (name == "held") {
      options.attribution.max_held_rows = number();
    } else if (name == "cache") {
      options.attribution.max_cache_entries = number();
    } else if (name == "domains") {
      options.attribution.range_options.domains.push_back(value);
    } else if (name == "steps") {
      options.attribution.range_options.steps.push_back(value);
    } else if (word == "process_ranges=yes") {
      options.attribution.range_options.process_ranges = true;
    } else if (name == "last") {
      options.last = number();
    } else {
      throw CaseError{expected.first + 1, "no option: " + std::string(word)};
    }
  }
  return options;
}

class Check {
 public:
  Check(const CaseFile& file, const Expectation& expected) : file_(file), expected_(expected) {}

  Outcome outcome(Player& player) {
    const Options options = read_options(expected_);
    const auto work = attribute_work(player.trace(), options.attribution);
    InstanceNames names(player.named_ranges());
    read_header();
    std::vector<std::vector<std::string>> rows;
    while (const AttributedRow* row = work->next()) {
      std::vector<std::string>& cells = rows.emplace_back();
      for (const Column* each : columns_) cells.push_back((*each)(*row, names));
    }
    if (!work->status().ok()) throw CaseError{expected_.first + 1, "the rows cannot be read"};
    if (rows.size() > options.last) {
      rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(options.last));
    }
    compare_rows(std::move(rows));
    compare_counts(work->counts());
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] std::string_view line(std::size_t index) const {
    const std::string_view text = file_.lines[index];
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  [[nodiscard]] bool is_count(std::size_t index) const { return line(index).starts_with("count "); }

  void read_header() {
    header_ = split_cells(expected_.columns);
    for (const std::string& name : header_.cells) {
      const Column* found = column(name);
      if (found == nullptr) throw CaseError{expected_.first + 1, "no column: " + name};
      columns_.push_back(found);
    }
    if (!expected_.options.empty()) prefix_ += "[" + expected_.options + "] ";
    outcome_.expected.assign(file_.lines.begin() + static_cast<std::ptrdiff_t>(expected_.first),
                             file_.lines.begin() + static_cast<std::ptrdiff_t>(expected_.last));
  }

  void compare_rows(std::vector<std::vector<std::string>> actual) {
    at_ = expected_.first + 1;
    if (columns_.empty()) {
      outcome_.actual.push_back(file_.lines[expected_.first]);
      return;
    }
    std::vector<Cells> table = {header_};
    std::size_t row = 0;
    for (; at_ < expected_.last && !is_count(at_); ++at_, ++row) {
      Cells expected = split_cells(line(at_));
      if (row >= actual.size()) {
        outcome_.passed = false;
        continue;
      }
      expected.cells.resize(columns_.size());
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::string text = with_names(file_, at_ + 1, expected.cells[i]);
        if (holds(text, actual[row][i])) continue;
        outcome_.passed = false;
        expected.cells[i] = actual[row][i];
      }
      table.push_back(std::move(expected));
    }
    for (; row < actual.size(); ++row) {
      outcome_.passed = false;
      table.push_back({std::move(actual[row]), {}});
    }
    std::string before = prefix_;
    for (const std::string& text : aligned(table)) {
      outcome_.actual.push_back(before + text);
      before.assign(prefix_.size(), ' ');
    }
  }

  /// "count links.linked = 3, links.missed = 0".
  void compare_counts(const AttributionCounts& counts) {
    for (; at_ < expected_.last; ++at_) {
      if (!is_count(at_)) throw CaseError{at_ + 1, "counts follow the table: count NAME = NUMBER"};
      const Cells said = split_cells(line(at_).substr(6));
      std::string_view rest = said.cells.empty() ? std::string_view{} : said.cells[0];
      std::string actual = std::string(prefix_.size(), ' ') + "count ";
      for (bool is_first = true; !rest.empty(); is_first = false) {
        const std::string_view one = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(one.size() + 2, rest.size()));
        actual += (is_first ? "" : ", ") + compared_count(counts, one);
      }
      outcome_.actual.push_back(actual + (said.comment.empty() ? "" : "  " + said.comment));
    }
  }

  std::string compared_count(const AttributionCounts& counts, std::string_view said) {
    const std::size_t equals = std::min(said.find(" = "), said.size());
    const std::string name(said.substr(0, equals));
    const auto actual = count(counts, name);
    if (!actual) throw CaseError{at_ + 1, "no count: " + name};
    const std::string expected =
        equals == said.size() ? "" : with_names(file_, at_ + 1, said.substr(equals + 3));
    if (holds(expected, *actual)) return std::string(said);
    outcome_.passed = false;
    return name + " = " + *actual;
  }

  const CaseFile& file_;
  const Expectation& expected_;
  Outcome outcome_;
  std::string prefix_ = "  => ";  ///< Of the table's first line.
  Cells header_;
  std::vector<const Column*> columns_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Outcome> check(const CaseFile& file, const Case& one) {
  std::vector<Outcome> outcomes;
  for (const Expectation& expected : one.expectations) {
    Player player(file);
    player.play(one.program);
    outcomes.push_back(Check(file, expected).outcome(player));
  }
  return outcomes;
}

}  // namespace prof::text_cases
