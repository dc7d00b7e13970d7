// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the program of a text case: each command is a call of FakeTrace. docs/testing.md lists them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/unit/analyzers/fake_trace.hpp"
#include "tests/unit/analyzers/text_cases/case_file.hpp"

namespace prof::text_cases {

class Player {
 public:
  explicit Player(const CaseFile& file) : file_(file) {}

  /// Throws CaseError.
  void play(const std::vector<Command>& program) { play(program, 1); }

  fakes::FakeTrace& trace() { return trace_; }
  /// Of the ranges that the program gave a name.
  [[nodiscard]] const std::map<std::uint64_t, std::string>& named_ranges() const { return named_; }

 private:
  /// What words before a command say: "on 2 in NCCL range ncclAllReduce".
  struct Words {
    std::uint32_t thread = 1;
    DomainId domain = kDefaultDomain;
    std::string name;
    std::int64_t duration_ns = 100;
    std::optional<std::uint64_t> sequence;
    std::uint32_t forward_thread = 0;
    std::vector<std::uint64_t> payload;  ///< Its schema, then its numbers.
  };

  void play(const std::vector<Command>& program, std::uint32_t thread);
  void run(const Command& command, std::uint32_t thread);
  bool take_words(std::string_view verb, std::string_view& text, Words& words);
  bool run_range(const Command& command, std::string_view verb, std::string_view text,
                 const Words& words);
  bool run_work(std::string_view verb, std::string_view text, const Words& words);
  bool run_graph(std::string_view verb, std::string_view text, const Words& words);
  bool run_setting(std::string_view verb, std::string_view text);
  /// What the words before it say of a range.
  void describe(RangeId range, const Words& words);
  /// A range, what is inside it, and its end.
  void hold(RangeId range, const Command& command, const Words& words);
  std::string native_text(std::string_view text);

  template <typename Number>
  Number take(std::string_view& text);
  std::int64_t take_number(std::string_view& text) { return take<std::int64_t>(text); }
  std::uint64_t take_unsigned(std::string_view& text) { return take<std::uint64_t>(text); }
  std::uint64_t take_node(std::string_view& text);
  DomainId domain(std::string_view name);

  const CaseFile& file_;
  fakes::FakeTrace trace_;
  std::map<std::uint64_t, std::string> named_;
  std::map<std::string, DomainId, std::less<>> domains_;
  std::map<std::uint32_t, std::size_t> open_;  ///< Ranges of each thread that are open.
  std::size_t line_ = 0;
};

}  // namespace prof::text_cases
