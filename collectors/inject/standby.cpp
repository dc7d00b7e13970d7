// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/standby.hpp"

#include <type_traits>
#include <utility>

#include "collectors/cupti/collector.hpp"
#include "collectors/cupti/graph_records.hpp"
#include "collectors/ops/op_source.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/source/each_record_sink.hpp"

namespace prof::collectors {
namespace {

/// Nothing waits for the standby's records: a thread whose ring fills up wakes the worker.
constexpr std::int64_t kWorkerIntervalNs = 1'000'000'000;

/// Keeps nothing. If texts get the ids that they have in a trace, they are written to the trace.
class TextsOnly final : public EachRecordSink<TextsOnly> {
 public:
  explicit TextsOnly(RecordSink* to) : to_(to) {}
  template <typename Record>
  void take(const Record& record) {
    if constexpr (std::is_same_v<Record, StringRecord>) {
      if (to_ != nullptr) to_->on(record);
    }
  }
  void commit() override {}
  [[nodiscard]] Status status() const override { return {}; }

 private:
  RecordSink* const to_;
};

}  // namespace

class Standby::Client final : public RecorderClient {
 public:
  explicit Client(LiveGraphs& graphs) : graphs_(graphs) {}
  void begin(ActivitySink& sink) override { graphs_.record(sink); }
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override {
    const auto kernel = read_graph_kernel(event, sink);
    if (kernel) graphs_.learn(*kernel);
    return kernel.has_value() || read_graph_event(thread, event, sink);
  }
  std::optional<OpFact> read_op(const OpEvent& op, std::string_view text, std::string_view bytes,
                                ActivitySink& sink) override {
    return ops_.read_op(op, text, bytes, sink);
  }
  void observe(const RecordBatch& batch) override { graphs_.learn(batch); }

 private:
  LiveGraphs& graphs_;
  OpSource ops_;
};

class Standby::Source final : public CaptureSource {
 public:
  explicit Source(Standby& standby) : standby_(standby) {}
  Status open() override { return {}; }
  void begin(ActivitySink& sink) override {
    standby_.graphs_.record(sink);
    standby_.has_recorded_ = true;
  }
  void observe(const RecordBatch& batch) override { standby_.graphs_.learn(batch); }

 private:
  Standby& standby_;
};

std::unique_ptr<CaptureSource> Standby::source() { return std::make_unique<Source>(*this); }

Status Standby::start(const CaptureConfig& config, Watch watch,
                      std::shared_ptr<CaptureOutput> shared) {
  // Never freed, like every collector: a callback may come late.
  auto* const events = new Collector(cupti_driver(), ApiMode::kNone, config.buffer_bytes);
  watch_ = watch;
  shared_ = std::move(shared);
  DriverConfig cuda;
  cuda.watch = watch;
  cuda.cuda_home = config.cuda_home;
  cuda.library_path = config.library_path;
  cuda.prefers_shared = config.shares_cupti;
  nowhere_ = std::make_unique<TextsOnly>(shared_ != nullptr ? &shared_->files() : nullptr);
  PROF_TRY(cupti_driver().watch(cuda, events));
  return resume();
}

Status Standby::resume() {
  if (!watch_.graphs) return {};
  if (recorder_ != nullptr) return {};  // The capture failed before it paused the standby.
  graphs_.end_session(now_ns());
  if (shared_ != nullptr && std::exchange(has_recorded_, false)) graphs_.mark_recorded();
  RecorderOptions options;
  options.is_standby = true;
  options.drain_interval_ns = kWorkerIntervalNs;
  if (shared_ != nullptr) options.strings = &shared_->strings();
  client_ = std::make_unique<Client>(graphs_);
  auto recorder = Recorder::start(*nowhere_, client_.get(), nullptr, options);
  if (!recorder) {
    Recorder::end_waiting();
    graphs_.forget();  // Later changes will be missed.
    return recorder.error();
  }
  recorder_ = std::move(*recorder);
  return {};
}

void Standby::pause(std::int64_t start_ns) {
  if (recorder_ == nullptr) return;
  recorder_->stop_events(Recorder::Next::kSession);
  static_cast<void>(recorder_->stop());
  recorder_.reset();
  graphs_.end_session(start_ns - 1);  // Ranges that the capture finds open are recorded again.
}

void Standby::finish() {
  pause(now_ns());
  Recorder::end_waiting();
}

void Standby::end() {
  finish();
  graphs_.forget();
  watch_ = {};
  cupti_driver().stop(/*detach=*/true);
}

}  // namespace prof::collectors
