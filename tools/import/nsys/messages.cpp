// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/messages.hpp"

#include <algorithm>
#include <array>

#include "libprof/model/losses.hpp"

namespace prof::importers::nsys {
namespace {

constexpr std::size_t kMaxMessageBytes = 300;

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// "Not all CUDA events might have been collected.", "12 NVTX events were dropped."
bool tells_of_lost_events(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords = {"Not all", "lost", "dropped", "incomplete"};
  return has(text, "event") &&
         std::ranges::any_of(kWords, [text](std::string_view word) { return has(text, word); });
}

void report_loss(RecordSink& sink, Loss loss, std::uint64_t count, std::string_view detail) {
  if (count == 0) return;
  LossRecord record;
  record.what = info(loss).word;
  record.count = count;
  record.detail = detail;
  sink.on(record);
}

}  // namespace

void Messages::Kind::add(std::string_view text) {
  if (count++ == 0) first = text.substr(0, kMaxMessageBytes);
}

void Messages::add(std::string_view text) {
  (tells_of_lost_events(text) ? lost_ : other_).add(text);
  if (!has(text, "CUDA")) return;
  (text.starts_with("No CUDA events collected") ? no_cuda_events_ : cuda_).add(text);
}

std::string Messages::about_cuda() const {
  if (cuda_.count == 0) return no_cuda_events_.first;
  if (no_cuda_events_.count == 0) return cuda_.first;
  return std::string(cuda_.first).append(" ").append(no_cuda_events_.first);
}

void Messages::report(RecordSink& sink) const {
  report_loss(sink, Loss::kProfilerLoss, lost_.count, lost_.first);
  report_loss(sink, Loss::kProfilerMessage, other_.count, other_.first);
}

}  // namespace prof::importers::nsys
