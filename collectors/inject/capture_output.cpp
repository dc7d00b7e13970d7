// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/capture_output.hpp"

#include <unistd.h>

#include "collectors/core/global.hpp"
#include "collectors/inject/process_facts.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/base/shell_word.hpp"
#include "libprof/control/placeholders.hpp"

namespace prof::collectors {
namespace {

constexpr std::size_t kStringTableBytes = std::size_t{256} << 20;

std::uint64_t total_lost() {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < kLossCount; ++i) {
    if (kLossInfos[i].severity == Severity::kDataLoss)
      lost += global().losses.total(static_cast<Loss>(i));
  }
  return lost;
}

CaptureFilesOptions options_of(const CaptureConfig& config, std::int64_t start_ns,
                               std::uint32_t window) {
  CaptureFilesOptions options;
  const Placeholders values{std::to_string(getpid()), host_name(), config.rank,
                            std::to_string(window)};
  options.trace = fill_placeholders(config.output, values);
  options.stream = fill_placeholders(config.stream, values);
  options.force = config.force;
  options.replace = config.replace;
  options.replace_stream = config.replace_stream;
  options.same_run = !config.run_id.empty();
  options.start_realtime_ns = start_ns;
  return options;
}

}  // namespace

CaptureOutput::CaptureOutput(const CaptureConfig& config, std::int64_t start_ns,
                             std::uint32_t window, bool is_shared)
    : is_shared_(is_shared),
      is_part_of_a_run_(!config.run_id.empty()),
      lost_before_(total_lost()),
      strings_(std::make_unique<StringInterner>(kStringTableBytes)),
      files_([&] {
        CaptureFilesOptions options = options_of(config, start_ns, window);
        options.stays_open = is_shared;
        options.worth_keeping = [this] {
          const CuptiSource* source = source_.load(std::memory_order_acquire);
          return captures_.load(std::memory_order_relaxed) != 0 &&
                 (had_work_.load(std::memory_order_relaxed) ||
                  (source != nullptr && source->has_work()) || counted_losses() != 0);
        };
        return options;
      }()) {}

bool CaptureOutput::begin(const CuptiSource& source) {
  source_.store(&source, std::memory_order_release);
  return captures_ != 0;
}

void CaptureOutput::end_capture() {
  const CuptiSource* source = source_.exchange(nullptr, std::memory_order_acq_rel);
  if (source != nullptr && source->has_work()) had_work_.store(true, std::memory_order_relaxed);
  if (!is_shared_) strings_.reset();
}

void CaptureOutput::end() {
  if (is_shared_) files_.end();
}

std::uint64_t CaptureOutput::counted_losses() const { return total_lost() - lost_before_; }

std::uint64_t CaptureOutput::lost() const { return counted_losses() + files_.lost_records(); }

std::string CaptureOutput::closing_line() const {
  if (!files_.is_there()) {
    // In a run with several processes, some may do no GPU work.
    const bool nothing_ran = !is_part_of_a_run_ && files_.status();
    return nothing_ran ? "nothing ran on a GPU: no trace was written" : "";
  }
  const WorkCounts held = files_.held();
  std::string line = "wrote " + files_.path() + ": ";
  if (is_shared_) line += count_text_plain(captures_, "capture", "captures") + ", ";
  line += count_text_plain(held.kernels, "kernel", "kernels") + ", " +
          count_text_plain(held.copies, "copy", "copies");
  if (held.sets != 0) line += ", " + count_text_plain(held.sets, "set", "sets");
  line += ", " + std::to_string(lost()) + " lost";
  if (files_.was_moved()) return line + "; the file was moved meanwhile";
  return line + "; see prof-report -r summary " + shell_word(files_.path());
}

}  // namespace prof::collectors
