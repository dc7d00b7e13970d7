// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_plan.hpp"

#include <algorithm>
#include <utility>

#include "libprof/base/glob.hpp"
#include "libprof/model/step_text.hpp"

namespace prof::collectors {
namespace {

/// Interval at which windows that end after a number of kernels are checked.
constexpr std::int64_t kKernelsIntervalNs = 5'000'000;
constexpr std::size_t kKeptTextBytes = 60;

}  // namespace

WindowPlan::WindowPlan(CaptureSpec spec) : spec_(std::move(spec)) {
  is_always_on_ = !spec_.has_openers();
  steps_came_.resize(spec_.steps.size());
  for (std::size_t opener = 0; opener < spec_.ranges.size(); ++opener) {
    for (const RangeOpener::Reading& reading : spec_.ranges[opener].readings)
      watched_.push_back({&reading, opener});
  }
}

WindowPlan::Match WindowPlan::match(std::string_view domain, std::string_view text) const {
  Match found = spec_.has_steps() && step_number(text) ? kStep : 0;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const RangeOpener::Reading& reading = *watched_[i].reading;
    if ((!reading.domain || matches(domain, *reading.domain)) && matches(text, reading.text)) {
      found |= kStep << (i + 1);
    }
  }
  return found;
}

std::optional<Span> WindowPlan::span_of(std::int64_t step) const {
  if (spec_.duty && spec_.duty->is_of_steps && step >= 0) {
    const std::int64_t end = step - step % spec_.duty->period + spec_.duty->period;
    if (step >= end - spec_.duty->length) return Span{end - spec_.duty->length, end - 1};
  }
  const auto span = std::find_if(spec_.steps.begin(), spec_.steps.end(),
                                 [&](const Span& one) { return one.contains(step); });
  return span == spec_.steps.end() ? std::nullopt : std::optional(*span);
}

WindowPlan::Token WindowPlan::step_begins(std::int64_t step) {
  const Span seen = seen_steps_.value_or(Span{step, step});
  seen_steps_ = Span{std::min(seen.first, step), std::max(seen.last, step)};
  for (std::size_t i = 0; i < spec_.steps.size(); ++i) {
    if (spec_.steps[i].contains(step)) steps_came_[i] = true;
  }
  if (!span_of(step)) {
    step_.reset();
    closes("begin of step " + std::to_string(step));
    return 0;
  }
  if (step_ == step) return 0;  // Two tools, or two threads, mark it.
  has_duty_come_ = true;
  step_ = step;
  opens("step " + std::to_string(step));
  return token(kStepToken | step_bits(step));
}

WindowPlan::Token WindowPlan::range_begins(Match match, std::string_view text) {
  Token result = 0;
  if (const auto step = step_number(text); step && (match & kStep) != 0)
    result = step_begins(*step);
  bool is_wanted = false;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if ((match & kStep << (i + 1)) == 0) continue;
    const bool is_time = watched_[i].reading->times.contains(++watched_[i].times);
    watched_[i].has_come |= is_time;
    is_wanted |= is_time;
  }
  if (!is_wanted) return result;
  ++open_ranges_;
  opens("range " + std::string(text));
  return token(kRangeToken) | result;
}

void WindowPlan::range_ends(Token ended) {
  if (ended >> 32 != generation_) return;
  if ((ended & kRangeToken) != 0 && open_ranges_ != 0) {
    --open_ranges_;
    closes("end of the range");
  }
  if ((ended & kStepToken) == 0 || !step_) return;
  // A step that another thread ends late.
  if ((ended & 0xffffffffU & ~(kStepToken | kRangeToken)) != step_bits(*step_)) return;
  // Between two wanted steps the window stays open.
  if (const auto span = span_of(*step_); span && *step_ != span->last) return;
  const std::int64_t step = *step_;
  step_.reset();
  closes("end of step " + std::to_string(step));
}

void WindowPlan::profiler(bool is_on) {
  if (!spec_.profiler_api) return;
  is_profiler_on_ = is_on;
  has_profiler_come_ = true;
  is_on ? opens("cudaProfilerStart") : closes("cudaProfilerStop");
}

void WindowPlan::toggle() {
  is_toggled_ = !is_toggled_;
  has_signal_come_ = true;
  is_toggled_ ? opens("signal") : closes("signal");
}

void WindowPlan::control(bool is_on) {
  if (!is_on) return suppress("prof-run stop");
  is_controlled_ = true;
  opens("prof-run start");
}

void WindowPlan::begin(std::int64_t now_ns) {
  now_ns_ = now_ns;
  ready_ns_ = now_ns + spec_.delay_ns;
  if (is_always_on_) opens(spec_.delay_ns == 0 ? "start of CUDA" : "delay");
}

void WindowPlan::pass(std::int64_t now_ns, std::uint64_t kernels) {
  now_ns_ = std::max(now_ns_, now_ns);
  pass_duty();
  if (!opened_ns_) return;
  if (spec_.duration_ns && now_ns_ - *opened_ns_ >= *spec_.duration_ns) suppress("duration");
  if (spec_.kernels && kernels >= *spec_.kernels) suppress("kernels");
}

void WindowPlan::pass_duty() {
  if (!spec_.duty || spec_.duty->is_of_steps || !ready_ns_ || now_ns_ < *ready_ns_) return;
  const std::int64_t passed = now_ns_ - *ready_ns_, number = passed / spec_.duty->period;
  const bool is_on = passed % spec_.duty->period >= spec_.duty->period - spec_.duty->length;
  if (is_on && duty_period_ != number) {
    duty_period_ = number;
    is_on_duty_ = has_duty_come_ = true;
    opens("duty");
  } else if (is_on_duty_ && duty_period_ != number) {
    is_on_duty_ = false;
    closes("end of duty");
  }
}

std::int64_t WindowPlan::next_duty_ns() const {
  const std::int64_t period = spec_.duty->period;
  const std::int64_t end = *ready_ns_ + ((now_ns_ - *ready_ns_) / period + 1) * period;
  const std::int64_t begin = end - spec_.duty->length;
  return now_ns_ < begin ? begin : end;
}

bool WindowPlan::has_opener() const {
  return is_on_duty_ || is_always_on_ || is_profiler_on_ || is_toggled_ || is_controlled_ ||
         step_ || open_ranges_ != 0;
}

bool WindowPlan::wants_window() const { return ready_ns_ && now_ns_ >= *ready_ns_ && has_opener(); }

void WindowPlan::closed() { opened_ns_.reset(); }

void WindowPlan::failed() { suppress("failure"); }

bool WindowPlan::are_ranges_over() const {
  if (open_ranges_ != 0) return false;
  std::vector<bool> over(spec_.ranges.size());
  for (const Watched& one : watched_) {
    if (one.times >= one.reading->times.last) over[one.opener] = true;
  }
  return std::all_of(over.begin(), over.end(), [](bool is) { return is; });
}

bool WindowPlan::are_steps_over() const {
  // Steps may begin again from 0: missing ones may still come.
  const bool all_came =
      std::all_of(steps_came_.begin(), steps_came_.end(), [](bool has_come) { return has_come; });
  return !step_ && all_came &&
         std::all_of(spec_.steps.begin(), spec_.steps.end(), [&](const Span& span) {
           return seen_steps_ && seen_steps_->last >= span.last;
         });
}

bool WindowPlan::is_over() const {
  return !is_open() && !is_always_on_ && !spec_.duty && !spec_.profiler_api && spec_.signal == 0 &&
         !spec_.control && are_ranges_over() && are_steps_over();
}

std::optional<std::int64_t> WindowPlan::next_ns() const {
  if (!ready_ns_ || now_ns_ < *ready_ns_) return ready_ns_;
  std::optional<std::int64_t> next;
  const auto add = [&](std::int64_t ns) { next = std::min(next.value_or(ns), ns); };
  if (spec_.duty && !spec_.duty->is_of_steps) add(next_duty_ns());
  if (opened_ns_ && spec_.kernels) add(now_ns_ + kKernelsIntervalNs);
  if (opened_ns_ && spec_.duration_ns) add(*opened_ns_ + *spec_.duration_ns);
  return next;
}

void WindowPlan::suppress(std::string why) {
  ++generation_;
  open_ranges_ = 0;
  step_.reset();
  is_always_on_ = is_profiler_on_ = is_toggled_ = is_controlled_ = is_on_duty_ = false;
  closes(std::move(why));
}

void WindowPlan::opens(std::string why) {
  if (!is_open()) opener_ = std::move(why);
}

void WindowPlan::closes(std::string why) {
  if (is_open() && !has_opener()) closer_ = std::move(why);
}

std::string WindowPlan::missed() const {
  std::string said;
  const auto miss = [&](const std::string& words) {
    said.append(said.empty() ? "" : ", ").append(words);
  };
  for (std::size_t i = 0; i < spec_.steps.size(); ++i) {
    const Span& span = spec_.steps[i];
    if (steps_came_[i]) continue;
    const bool is_open = span.last == Span{}.last;
    miss("steps:" + std::to_string(span.first) +
         (span.first == span.last ? "" : ".." + (is_open ? "" : std::to_string(span.last))));
  }
  for (std::size_t opener = 0; opener < spec_.ranges.size(); ++opener) {
    const bool has_come = std::any_of(watched_.begin(), watched_.end(), [&](const Watched& one) {
      return one.opener == opener && one.has_come;
    });
    if (!has_come) miss("nvtx:" + spec_.ranges[opener].readings.front().text);
  }
  if (spec_.duty && !has_duty_come_) {
    miss(spec_.duty->is_of_steps ? "duty:" + std::to_string(spec_.duty->length) + "/" +
                                       std::to_string(spec_.duty->period) + "steps"
                                 : std::string("the time of duty"));
  }
  if (spec_.profiler_api && !has_profiler_come_) miss("cudaProfilerStart");
  if (spec_.signal != 0 && !has_signal_come_) miss("the signal");
  return said;
}

void WindowPlan::saw(std::string_view text) {
  text = text.substr(0, kKeptTextBytes);
  if (keeps_what_it_saw() && std::find(seen_.begin(), seen_.end(), text) == seen_.end())
    seen_.emplace_back(text);
}

std::string WindowPlan::seen() const {
  std::string said;
  if (seen_steps_) {
    said =
        "steps " + std::to_string(seen_steps_->first) + " to " + std::to_string(seen_steps_->last);
  }
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (i != 0) {
      said += ", ";
    } else {
      said += said.empty() ? "ranges " : "; ranges ";
    }
    said += seen_[i];
  }
  if (!keeps_what_it_saw()) said += ", ...";
  return said;
}

}  // namespace prof::collectors
