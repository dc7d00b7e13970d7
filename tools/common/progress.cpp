// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress, see progress.hpp. Lines are overwritten with blanks rather than erased by an escape
// sequence: every terminal can do that.
#include "tools/common/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/common/terminal.hpp"
#include "tools/common/unicode.hpp"

namespace prof::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kFirstAfter = seconds(1);
constexpr auto kBetween = milliseconds(250);
/// An estimate from less than this is a guess.
constexpr double kLeastPart = 0.01;

/// "12 s", "3 min", "2 h": rounded up.
std::string duration_text(double left) {
  if (left <= 90) return fmt::format("{:.0f} s", std::max(1.0, std::ceil(left)));
  if (left <= 90 * 60) return fmt::format("{:.0f} min", std::ceil(left / 60));
  return fmt::format("{:.0f} h", std::ceil(left / 3600));
}

}  // namespace

Progress::Progress(std::string program, Counted counted, Terminal terminal)
    : program_(std::move(program)),
      counted_(counted),
      terminal_(std::move(terminal)),
      begin_(terminal_.now()),
      next_(begin_ + kFirstAfter) {}

std::optional<Progress> Progress::on_stderr(std::string program, Counted counted) {
  const std::optional<std::size_t> width = terminal_width(STDERR_FILENO);
  if (!width) return std::nullopt;
  Terminal terminal;
  terminal.write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  terminal.width = *width;
  return Progress(std::move(program), counted, std::move(terminal));
}

std::optional<double> Progress::due() {
  if (finished_) return std::nullopt;
  const Time now = terminal_.now();
  if (now < next_) return std::nullopt;
  next_ = now + kBetween;
  return std::chrono::duration<double>(now - begin_).count();
}

void Progress::update(std::uint64_t done, std::optional<double> part) {
  if (const auto elapsed = due()) show(line(done, part, *elapsed));
}

void Progress::working(std::string_view what) {
  if (const auto elapsed = due()) show(fmt::format("{}: {}, {:.0f} s", program_, what, *elapsed));
}

void Progress::ends_with(std::string_view what) {
  if (finished_ || terminal_.now() < begin_ + kFirstAfter) return;
  show(fmt::format("{}: {}", program_, what));
}

void Progress::clear() {
  if (shown_width_ == 0) return;
  terminal_.write(fmt::format("\r{:{}}\r", "", shown_width_));
  shown_width_ = 0;
}

void Progress::finish() {
  clear();
  finished_ = true;
}

std::string Progress::line(std::uint64_t done, std::optional<double> part, double seconds) const {
  const auto count = [this](double amount) {
    return grouped(static_cast<std::uint64_t>(amount / static_cast<double>(counted_.unit)));
  };
  const auto amount = static_cast<double>(done);
  std::string text = fmt::format("{}: {} {}", program_, count(amount), counted_.noun);
  if (part) text += fmt::format(", {:.0f} %", std::floor(100 * *part));
  text += fmt::format(", {} {}/s", count(amount / seconds), counted_.noun);
  if (part && *part >= kLeastPart && *part < 1) {
    text += ", about " + duration_text(seconds * (1 - *part) / *part) + " left";
  }
  return text;
}

void Progress::show(std::string line) {
  // The last column stays free: some terminals go to the next line after it.
  line = prefix_of_width(line, std::max<std::size_t>(terminal_.width, 1) - 1);
  const std::size_t width = display_width(line);
  const std::size_t old = std::exchange(shown_width_, width);
  terminal_.write(fmt::format("\r{}{:{}}", line, "", old > width ? old - width : 0));
}

}  // namespace prof::tools
