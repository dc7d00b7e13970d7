// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WindowPlan: when a window is open, by what a CaptureSpec asks for and what happens. A window is
// open while at least one opener says so, after the delay, until a limit ends it; what was open
// then opens no other. Pure: it learns what happens, and answers what should be. Threads: match()
// any; the rest one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/control/capture_spec.hpp"

namespace prof::collectors {

class WindowPlan {
 public:
  explicit WindowPlan(CaptureSpec spec);

  /// What a range that begins may mean, a bit for each; 0: nothing. Takes no memory and changes
  /// nothing.
  using Match = std::uint64_t;
  [[nodiscard]] Match match(std::string_view domain, std::string_view text) const;
  [[nodiscard]] bool watches_ranges() const { return !spec_.ranges.empty() || spec_.has_steps(); }
  [[nodiscard]] const CaptureSpec& spec() const { return spec_; }

  /// A range that matches begins. The token is for its end; 0: it opens nothing.
  using Token = std::uint64_t;
  [[nodiscard]] Token range_begins(Match match, std::string_view text);
  void range_ends(Token token);
  /// cudaProfilerStart() and cudaProfilerStop().
  void profiler(bool is_on);
  /// The signal has come.
  void toggle();
  /// prof-run --pid PID start and stop. A stop ends also what others have opened.
  void control(bool is_on);
  /// CUDA starts.
  void begin(std::int64_t now_ns);
  /// Time has passed; `kernels`: launched in the open window.
  void pass(std::int64_t now_ns, std::uint64_t kernels);

  /// What should be.
  [[nodiscard]] bool wants_window() const;
  /// What has been done. A window that could not be opened is closed at once.
  void opened(std::int64_t now_ns) { opened_ns_ = now_ns; }
  void closed();
  /// The window could not be opened: what has asked for it asks no more.
  void failed();
  [[nodiscard]] bool is_open() const { return opened_ns_.has_value(); }
  /// No window can come any more.
  [[nodiscard]] bool is_over() const;
  /// When pass() is due, if nothing else happens; none: never.
  [[nodiscard]] std::optional<std::int64_t> next_ns() const;

  /// Why the window was opened: "step 10", "range decode", "cudaProfilerStart".
  [[nodiscard]] const std::string& opener() const { return opener_; }
  /// Why it is to be closed: "duration", "end of step 12".
  [[nodiscard]] const std::string& closer() const { return closer_; }

  /// What of the spec never came: "steps:10..12, nvtx:decode". Limits need not come.
  [[nodiscard]] std::string missed() const;
  /// A range that matched nothing. Some are kept, to be named to who has waited in vain.
  void saw(std::string_view text);
  [[nodiscard]] bool keeps_what_it_saw() const { return seen_.size() < kKeptTexts; }
  /// What came instead of what was asked for: "steps 0 to 7; ranges forward, backward".
  [[nodiscard]] std::string seen() const;

 private:
  static constexpr std::size_t kKeptTexts = 4;
  static constexpr Match kStep = 1;  ///< The others: 2 for the first reading, 4, ...
  static constexpr Token kStepToken = 1, kRangeToken = 2;  ///< In the lower half.
  /// The other bits of a step's are those of its number.
  static constexpr Token step_bits(std::int64_t step) {
    return static_cast<Token>(step) << 2 & 0xffffffffU;
  }

  /// A way to read an opener's words, and how often a range has matched.
  struct Watched {
    const RangeOpener::Reading* reading;
    std::size_t opener;
    std::int64_t times = 0;
    bool has_come = false;
  };
  [[nodiscard]] Token token(Token what) const { return Token{generation_} << 32 | what; }
  /// The wanted steps around this one, captured in one window; none: it is not wanted.
  [[nodiscard]] std::optional<Span> span_of(std::int64_t step) const;
  [[nodiscard]] Token step_begins(std::int64_t step);
  [[nodiscard]] bool has_opener() const;
  [[nodiscard]] bool are_ranges_over() const;
  [[nodiscard]] bool are_steps_over() const;
  void pass_duty();
  /// When the time's duty next begins or ends.
  [[nodiscard]] std::int64_t next_duty_ns() const;
  /// What is open opens nothing any more.
  void suppress(std::string why);
  void opens(std::string why);
  void closes(std::string why);

  const CaptureSpec spec_;
  std::vector<Watched> watched_;
  std::uint32_t generation_ = 1;  ///< Of tokens: earlier ones open nothing.
  std::uint32_t open_ranges_ = 0;
  std::optional<std::int64_t> step_;  ///< The wanted step that began last and has a window.
  bool is_always_on_ = false, is_profiler_on_ = false, is_toggled_ = false, is_controlled_ = false;
  bool is_on_duty_ = false;               ///< By the time; of steps by their numbers.
  std::int64_t duty_period_ = -1;         ///< The one whose window has begun.
  std::optional<std::int64_t> ready_ns_;  ///< The end of the delay.
  std::int64_t now_ns_ = 0;
  std::optional<std::int64_t> opened_ns_;
  std::string opener_, closer_;
  std::optional<Span> seen_steps_;
  std::vector<bool> steps_came_;  ///< By their place in the spec.
  bool has_profiler_come_ = false, has_signal_come_ = false, has_duty_come_ = false;
  std::vector<std::string> seen_;
};

}  // namespace prof::collectors
