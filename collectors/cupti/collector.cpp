// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The client of an ActivityDriver, see collector.hpp.
#include "collectors/cupti/collector.hpp"

#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/core/thread_state.hpp"
#include "collectors/core/window_triggers.hpp"
#include "collectors/cupti/cuda_driver_api.hpp"
#include "collectors/cupti/graph_events.hpp"
#include "collectors/cupti/wait_events.hpp"
#include "libprof/base/clock.hpp"

namespace prof::collectors {
namespace {

constexpr std::int64_t kFlushIntervalNs = 1'000'000'000;
constexpr std::int64_t kDrainPollNs = 5'000'000;

void record_graph_call(const CallSite& site) noexcept {
  if (site.call == CallClass::kNodeSet) {
    graph_node_set(site.graph_object);
  } else {
    graph_launched(site.correlation, static_cast<std::uint32_t>(site.graph_object));
  }
}

timespec to_timespec(std::int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

void sleep_ns(std::int64_t ns) {
  timespec left = to_timespec(ns);
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace

StringId NameCache::find_or_intern(std::string_view text, ActivitySink& sink) {
  const auto address = reinterpret_cast<std::uintptr_t>(text.data());
  Entry& entry = entries_[(address >> 4 ^ address >> 14) % entries_.size()];
  if (entry.pointer == text.data() && entry.text == text) return entry.id;
  entry.pointer = text.data();
  entry.text = text;
  entry.id = sink.intern(text);
  return entry.id;
}

/// Counts decoded records, adds the devices that they mention, and passes them all on.
class Collector::CountingSink final : public ActivitySink {
 public:
  CountingSink(Collector& collector, ActivitySink& next) : collector_(collector), next_(next) {}

  StringId intern(std::string_view text) override {
    return collector_.names_->find_or_intern(text, next_);
  }
  void on(const KernelRecord& record) override {
    add_work(record, collector_.kernels_);
    if (record.graph != 0 && record.graph_node == 0) ++collector_.whole_graphs_;
    if (record.origin == Origin::kApi)
      collector_.launched_kernels_.fetch_add(1, std::memory_order_relaxed);
  }
  void on(const MemcpyRecord& record) override { add_work(record, collector_.copies_); }
  void on(const MemsetRecord& record) override { add_work(record, collector_.sets_); }
  void on(const OverheadRecord& record) override { next_.on(record); }
  void on(const DeviceRecord& record) override { next_.on(record); }
  void on(const ClockSyncRecord& record) override { next_.on(record); }
  RecordSink& records() override { return next_.records(); }
  void lost(Loss loss, std::uint64_t count) override { next_.lost(loss, count); }

 private:
  template <typename Record>
  void add_work(const Record& record, std::atomic<std::uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
    collector_.note_work();
    if (record.device != last_device_ || collector_.devices_.empty()) {
      last_device_ = record.device;
      if (collector_.devices_.insert(record.device).second) add_device(record.device);
    }
    next_.on(record);
  }

  void add_device(std::uint32_t ordinal) {
    DeviceProperties properties;
    properties.record.device = ordinal;
    query_device(ordinal, properties);
    next_.on(properties.record);
    if (collector_.use_device_) collector_.use_device_(properties.record);
  }

  Collector& collector_;
  ActivitySink& next_;
  std::uint32_t last_device_ = 0xffffffffU;
};

Collector::Collector(ActivityDriver& driver, ApiMode api, std::size_t buffer_bytes,
                     PrintLine print_line)
    : driver_(driver),
      api_(api),
      print_line_(print_line),
      pool_(buffer_bytes),
      names_(std::make_unique<NameCache>()) {
  sem_init(&flush_wanted_, 0, 0);
}

void Collector::connect(Recorder& recorder) {
  recorder_.store(&recorder, std::memory_order_seq_cst);
}

void Collector::disconnect() {
  recorder_.store(nullptr, std::memory_order_seq_cst);
  while (submitting_.load(std::memory_order_seq_cst) != 0) sleep_ns(100'000);
}

void Collector::retire() {
  names_.reset();
  std::unordered_set<std::uint32_t>().swap(devices_);  // Assigning {} would keep its memory.
  use_device_ = nullptr;
  pool_.retire();
}

void Collector::on_call_enter(const CallSite& site) noexcept {
  if (makes_nodes(site.call)) enter_node_call();
  if (site.wait != SyncRecord::Type::kUnknown) [[unlikely]]
    wait_begins();
  if (is_recorded(site.call, api_)) {
    api_enter(site.correlation, site.domain, site.cbid, api_ == ApiMode::kAll);
  }
}

void Collector::on_call_exit(const CallSite& site, std::int32_t status) noexcept {
  if (makes_nodes(site.call)) leave_node_call();
  if (is_node_held()) [[unlikely]]
    write_held_node(status == 0 && makes_new_kernel_nodes(site.call) ? &driver_ : nullptr);
  if (site.captured_graph != nullptr) [[unlikely]]
    stream_captured(driver_, site.captured_graph);
  if (site.graph_object != 0 && status == 0) [[unlikely]]
    record_graph_call(site);
  if (site.wait != SyncRecord::Type::kUnknown && status == 0) [[unlikely]]
    wait_ended(site);
  if (site.hides_device_launches && !is_over_.load(std::memory_order_relaxed)) [[unlikely]]
    global().losses.add(Loss::kLaunchableByKernels);
  if (!is_recorded(site.call, api_)) return;
  if (is_over_.load(std::memory_order_relaxed)) {
    // Counts the driver's call: each runtime call makes one.
    if (site.domain != ApiRecord::Domain::kDriver || status != 0 || !puts_work(site.call)) return;
    (expects_kernel(site.call) ? late_launches_ : late_other_calls_)
        .fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const ApiFrame* frame = api_exit(site.domain, site.cbid, status);
  if (frame == nullptr || frame->correlation != site.correlation) return;
  if (frame->depth != 0 || status != 0) return;
  if (puts_work(site.call)) {
    t_thread_state->last_work = frame->graph_node_created ? 0 : frame->correlation;
    t_thread_state->last_work_epoch = frame->epoch;
  }
  if (frame->graph_node_created) return;
  if (puts_work(site.call)) note_work();
  // The kernel of a call that a capture's start or end cuts may have a record or none.
  if (expects_kernel(site.call) && frame->epoch == recording_epoch())
    launches_.fetch_add(1, std::memory_order_relaxed);
}

void Collector::on_graph(const GraphSite& site) noexcept { graph_changed(site); }

void Collector::on_profiler(bool is_on) noexcept {
  if (WindowTriggers* const triggers = window_triggers()) triggers->profiler(is_on);
}

std::uint8_t* Collector::on_buffer_wanted(std::size_t& bytes, bool may_refuse) noexcept {
  bytes = BufferPool::kBufferBytes;
  std::uint8_t* buffer = pool_.take();
  // Ended threads leave buffers in CUPTI that are no longer filled. Not earlier: asking takes
  // half-filled buffers from live threads.
  if (pool_.taken() * 4 > pool_.capacity() * 3) ask_for_flush();
  if (buffer != nullptr) return buffer;
  global().losses.add(Loss::kBufferPoolExhausted);
  global().wake();
  if (!may_refuse) buffer = pool_.take_extra();
  if (buffer == nullptr) bytes = 0;
  return buffer;
}

void Collector::on_buffer_filled(std::uint8_t* buffer, std::size_t valid_bytes) noexcept {
  submitting_.fetch_add(1, std::memory_order_seq_cst);
  Recorder* recorder = recorder_.load(std::memory_order_seq_cst);
  if (recorder != nullptr && valid_bytes > 0) {
    recorder->submit_buffer(buffer, valid_bytes);
  } else {
    pool_.give_back(buffer, valid_bytes);
  }
  submitting_.fetch_sub(1, std::memory_order_seq_cst);
}

void Collector::on_cupti_error(std::string_view message, bool is_fatal) noexcept {
  // A refused buffer is counted where it was refused; CUPTI reports it once per record.
  if (!is_fatal && global().losses.total(Loss::kBufferPoolExhausted) != 0 &&
      message.find("activity buffer") != std::string_view::npos) {
    return;
  }
  global().losses.add(Loss::kCuptiError);
  if (is_fatal) is_broken_.store(true, std::memory_order_relaxed);
  if (print_line_ == nullptr) return;
  std::array<char, 1024> line{};
  constexpr std::size_t kRoom = 900;  // Room for the message; the rest is for the text around it.
  std::snprintf(line.data(), line.size(), "CUPTI reports %s: %.*s%s",
                is_fatal ? "a fatal error" : "a problem",
                static_cast<int>(std::min(message.size(), kRoom)), message.data(),
                is_fatal ? "; nothing is captured from here on" : "");
  print_line_(line.data());
}

void Collector::decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) {
  CountingSink counting(*this, sink);
  driver_.decode(buffer, valid_bytes, counting);
  decoded_bytes_.store(valid_bytes, std::memory_order_relaxed);
  count_losses(sink);
}

void Collector::count_losses(ActivitySink& sink) {
  sink.lost(Loss::kDroppedRecords, driver_.take_dropped());
  sink.lost(Loss::kReleaseNotRecorded, driver_.take_unrecorded_releases());
}

void Collector::tick(ActivitySink& sink) {
  count_losses(sink);
  ClockSyncRecord sync;
  sync.cupti_ns = driver_.now_ns();
  sync.realtime_ns = now_ns();
  sync.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  sink.on(sync);
  record_whole_graphs(sink);
}

/// Not among the losses of the process: the user has requested it.
void Collector::record_whole_graphs(ActivitySink& sink) {
  if (whole_graphs_ == 0) return;
  LossRecord record;
  record.what = info(Loss::kWholeGraph).word;
  record.count = std::exchange(whole_graphs_, 0);
  record.detail = "prof-run --graph-trace node records their kernels";
  sink.records().on(record);
}

CollectorCounts Collector::counts() const {
  CollectorCounts counts;
  counts.kernels = kernels_.load(std::memory_order_relaxed);
  counts.copies = copies_.load(std::memory_order_relaxed);
  counts.sets = sets_.load(std::memory_order_relaxed);
  counts.launches = launches_.load(std::memory_order_relaxed);
  counts.launched_kernels = launched_kernels_.load(std::memory_order_relaxed);
  return counts;
}

/// Creates the trace now rather than with the next pass over the rings: the process may not live
/// long.
void Collector::note_first_work() noexcept { global().wake(); }

void Collector::ask_for_flush() noexcept {
  if (!flush_asked_.exchange(true, std::memory_order_acq_rel)) sem_post(&flush_wanted_);
}

void Collector::flush_loop() {
  for (;;) {
    const timespec until = to_timespec(clock_ns(CLOCK_MONOTONIC) + kFlushIntervalNs);
    if (sem_clockwait(&flush_wanted_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) continue;
    if (stop_flusher_.load(std::memory_order_acquire)) return;
    flush_asked_.store(false, std::memory_order_release);
    driver_.flush(false);
  }
}

Status Collector::start_flushing() {
  try {
    flusher_ = start_internal_thread("prof-flush", [this] { flush_loop(); });
    return {};
  } catch (const std::exception&) {
    return Error{"could not start a thread", "capture",
                 "records reach the trace only when buffers are full"};
  }
}

void Collector::stop_flushing() {
  if (!flusher_.joinable()) return;
  stop_flusher_.store(true, std::memory_order_release);
  sem_post(&flush_wanted_);
  flusher_.join();
}

void Collector::drain(Recorder& recorder, std::int64_t timeout_ns, bool forced) {
  bool is_complete = false;
  for (WaitTime waited;;) {
    driver_.flush(false);
    (void)recorder.flush(timeout_ns);
    const CollectorCounts now = counts();
    is_complete = now.launched_kernels >= now.launches;
    if (is_broken() || is_complete || waited.passed_ns() >= timeout_ns) break;
    sleep_ns(kDrainPollNs);
  }
  driver_.flush(forced || !is_complete);
}

}  // namespace prof::collectors
