// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of one capture, see capture_files.hpp.
#include "collectors/inject/capture_files.hpp"

#include <unistd.h>

#include <utility>

#include "collectors/inject/output_name.hpp"
#include "libprof/base/output_removal.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::collectors {
namespace {

/// A program that annotates for long before its first GPU work must not exhaust memory.
constexpr std::size_t kMaxHeldBytes = std::size_t{32} << 20;

}  // namespace

CaptureFiles::CaptureFiles(CaptureFilesOptions options)
    : options_(std::move(options)), path_(options_.trace) {}

Status CaptureFiles::prepare() {
  PROF_TRY(check_names());
  NameRules rules{options_.force, options_.same_run, options_.replace};
  PROF_TRY(prepare_name(options_.trace, rules));
  rules.old = options_.replace_stream;
  return options_.stream.empty() ? Status{} : prepare_name(options_.stream, rules);
}

/// Two writers to one file would corrupt it.
Status CaptureFiles::check_names() const {
  if (!is_same_output(options_.trace, options_.stream)) return {};
  return Error{"is the name of both the trace and the text form", options_.trace,
               "give them two names"};
}

Status CaptureFiles::open() {
  PROF_TRY(check_names());
  PROF_TRY(open_trace(/*any_name=*/false));
  open_stream(/*any_name=*/false);
  pass_on_held();
  return target_->status();
}

void CaptureFiles::discard() {
  if (target_ == nullptr) return;
  target_->finish();
  remove_files();
}

Status CaptureFiles::open_trace(bool any_name) {
  // Nothing is replaced later: any file that exists then appeared after the capture started.
  const NameRules rules{options_.force && !any_name, options_.same_run, options_.replace, any_name};
  const auto name = create_under_free_name(options_.trace, rules, [&](const std::string& path) {
    auto trace = TraceWriter::create(
        path, {.force = rules.force, .start_realtime_ns = options_.start_realtime_ns});
    if (!trace) return Status{trace.error()};
    trace_ = std::move(*trace);
    return Status{};
  });
  if (!name) return name.error();
  {
    const std::lock_guard lock(path_mutex_);
    path_ = name->path;
  }
  is_there_.store(true, std::memory_order_release);
  target_ = trace_.get();
  if (!name->is_first) {
    print_message(options_.trace + " is there already; process " + std::to_string(getpid()) +
                  " is captured to " + name->path);
  }
  return {};
}

void CaptureFiles::open_stream(bool any_name) {
  if (options_.stream.empty()) return;
  const NameRules rules{options_.force && !any_name, options_.same_run, options_.replace_stream,
                        any_name};
  const Existing existing = rules.force ? Existing::kReplace : Existing::kRefuse;
  const auto name = create_under_free_name(options_.stream, rules, [&](const std::string& path) {
    auto stream = StreamWriter::create(path, existing);
    if (!stream) return Status{stream.error()};
    stream_ = std::move(*stream);
    return Status{};
  });
  if (!name) {
    print_message(name.error().to_line() + " (the capture continues without the text form)");
    return;
  }
  if (!name->is_first) {
    print_message(options_.stream + " is there already; the text form of process " +
                  std::to_string(getpid()) + " goes to " + name->path);
  }
  tee_ = std::make_unique<TeeSink>(*trace_, *stream_);
  target_ = tee_.get();
}

/// Assigning an empty batch would keep the memory of its texts.
void CaptureFiles::forget_held() { static_cast<void>(std::exchange(held_, RecordBatch())); }

void CaptureFiles::pass_on_held() {
  held_.feed(*target_);
  forget_held();
  // From here on, if the program is killed, a file shows that the capture did not end.
  target_->commit();
  note_counts();
}

void CaptureFiles::open_late() {
  is_late_ = true;
  end_ = open_trace(/*any_name=*/true);
  if (!end_) {
    lost_.fetch_add(held_.records(), std::memory_order_relaxed);
    forget_held();
    return;
  }
  open_stream(/*any_name=*/true);
  pass_on_held();
}

void CaptureFiles::note_counts() {
  const WorkCounts& held = trace_->held();
  kernels_.store(held.kernels, std::memory_order_relaxed);
  copies_.store(held.copies, std::memory_order_relaxed);
  sets_.store(held.sets, std::memory_order_relaxed);
  lost_.store(trace_->lost_records(), std::memory_order_relaxed);
  was_moved_.store(trace_->was_moved(), std::memory_order_relaxed);
  if (trace_->is_gone()) is_there_.store(false, std::memory_order_release);
}

void CaptureFiles::commit() {
  is_recording_ = true;
  open_if_worth_it();
  if (is_waiting() && held_.bytes() > kMaxHeldBytes) open_late();
  if (target_ != nullptr) {
    target_->commit();
    note_counts();
  }
  holds_records_.store(false, std::memory_order_relaxed);
}

void CaptureFiles::finish() {
  commit();
  if (!options_.stays_open) end();
}

void CaptureFiles::end() {
  commit();
  if (target_ == nullptr) return;
  target_->finish();
  note_counts();
  end_ = trace_->status();
  if (stream_ != nullptr) {
    stream_end_ = stream_->status();
    stream_path_ = stream_->path();
  }
  target_ = nullptr;
  is_closed_ = true;
  if (is_late_ && !options_.worth_keeping()) remove_files();
  tee_.reset();
  stream_.reset();
  trace_.reset();
}

/// The memory for held-back records ran out, and no later record was worth a file.
void CaptureFiles::remove_files() {
  if (!end_) return;  // Another process has the file.
  remove_own_output(path(), trace_->identity());
  if (stream_ != nullptr) remove_own_output(stream_->path(), stream_->identity());
  is_there_.store(false, std::memory_order_release);
}

Status CaptureFiles::status() const { return target_ == nullptr ? end_ : target_->status(); }

std::string CaptureFiles::path() const {
  const std::lock_guard lock(path_mutex_);
  return path_;
}

WorkCounts CaptureFiles::held() const {
  return {kernels_.load(std::memory_order_relaxed), copies_.load(std::memory_order_relaxed),
          sets_.load(std::memory_order_relaxed)};
}

}  // namespace prof::collectors
