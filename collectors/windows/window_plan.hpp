// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WindowPlan: decides when a window is open, by a CaptureSpec and the program's events. A window is
// open while at least one opener requires it, after the delay, until a limit ends it; openers that
// are active then open no other. Pure: it is informed of events, and answers whether a window
// should be open. Threads: match() any; the rest one at a time.
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

  /// The meanings that a beginning range may have, a bit for each; 0: none. Allocates no memory and
  /// changes no state.
  using Match = std::uint64_t;
  [[nodiscard]] Match match(std::string_view domain, std::string_view text) const;
  [[nodiscard]] bool watches_ranges() const { return !spec_.ranges.empty() || spec_.has_steps(); }
  [[nodiscard]] const CaptureSpec& spec() const { return spec_; }

  /// A range that matches begins. The token is for its end; 0: it opens nothing.
  using Token = std::uint64_t;
  [[nodiscard]] Token range_begins(Match match, std::string_view text);
  void range_ends(Token token);
  /// cudaProfilerStart() or cudaProfilerStop() was called.
  void profiler(bool is_on);
  /// The signal was received.
  void toggle();
  /// prof-run --pid PID start or stop. A stop also ends windows that other openers have opened.
  void control(bool is_on);
  /// CUDA starts.
  void begin(std::int64_t now_ns);
  /// Time has passed; `kernels`: number of launches in the open window.
  void pass(std::int64_t now_ns, std::uint64_t kernels);

  /// Whether a window should be open.
  [[nodiscard]] bool wants_window() const;
  /// Reports that a window was opened or closed. A window that could not be opened is closed at
  /// once.
  void opened(std::int64_t now_ns) { opened_ns_ = now_ns; }
  void closed();
  /// The window could not be opened: its opener does not request another.
  void failed();
  [[nodiscard]] bool is_open() const { return opened_ns_.has_value(); }
  /// Whether no window can come any more.
  [[nodiscard]] bool is_over() const;
  /// The time at which pass() is due, if nothing else happens; none: never.
  [[nodiscard]] std::optional<std::int64_t> next_ns() const;

  /// The reason why the window was opened: "step 10", "range decode", "cudaProfilerStart".
  [[nodiscard]] const std::string& opener() const { return opener_; }
  /// The reason why it is to be closed: "duration", "end of step 12".
  [[nodiscard]] const std::string& closer() const { return closer_; }

  /// Openers of the spec that never came: "steps:10..12, nvtx:decode". Limits need not come.
  [[nodiscard]] std::string missed() const;
  /// Notes a range that matched nothing. Some are kept, to be reported to a user who has waited in
  /// vain.
  void saw(std::string_view text);
  [[nodiscard]] bool keeps_what_it_saw() const { return seen_.size() < kKeptTexts; }
  /// Ranges and steps that came instead of the requested ones: "steps 0 to 7; ranges forward,
  /// backward".
  [[nodiscard]] std::string seen() const;

 private:
  static constexpr std::size_t kKeptTexts = 4;
  static constexpr Match kStep = 1;  ///< The other bits are 2 for the first reading, 4, ...
  static constexpr Token kStepToken = 1, kRangeToken = 2;  ///< In the lower half of a token.
  /// The other bits of a step's token are those of its number.
  static constexpr Token step_bits(std::int64_t step) {
    return static_cast<Token>(step) << 2 & 0xffffffffU;
  }

  /// A way to read an opener's words, and the number of ranges that have matched.
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
  /// The time at which the duty cycle next begins or ends its duty.
  [[nodiscard]] std::int64_t next_duty_ns() const;
  /// Ranges and other openers that are active keep no window open any more.
  void suppress(std::string why);
  void opens(std::string why);
  void closes(std::string why);

  const CaptureSpec spec_;
  std::vector<Watched> watched_;
  std::uint32_t generation_ = 1;  ///< Generation of tokens; those of earlier ones have no effect.
  std::uint32_t open_ranges_ = 0;
  std::optional<std::int64_t> step_;  ///< The wanted step that began last and has a window.
  bool is_always_on_ = false, is_profiler_on_ = false, is_toggled_ = false, is_controlled_ = false;
  /// By a duty cycle in time; one in steps goes by their numbers.
  bool is_on_duty_ = false;
  std::int64_t duty_period_ = -1;         ///< The period whose window has begun.
  std::optional<std::int64_t> ready_ns_;  ///< End of the delay.
  std::int64_t now_ns_ = 0;
  std::optional<std::int64_t> opened_ns_;
  std::string opener_, closer_;
  std::optional<Span> seen_steps_;
  std::vector<bool> steps_came_;  ///< Indexed by their place in the spec.
  bool has_profiler_come_ = false, has_signal_come_ = false, has_duty_come_ = false;
  std::vector<std::string> seen_;
};

}  // namespace prof::collectors
