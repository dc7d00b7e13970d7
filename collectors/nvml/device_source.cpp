// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_source.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/nvml/nvml.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{1};

}  // namespace

class DeviceSource::Sampler {
 public:
  explicit Sampler(std::int64_t interval_ns) : interval_(interval_ns) {}

  void connect(Recorder& recorder) { recorder_ = &recorder; }

  void add(std::uint32_t device, std::string_view uuid) {
    const std::lock_guard lock(mutex_);
    added_.push_back({device, std::string(uuid)});
    changed_.notify_all();
  }

  void run() {
    try {
      sample_until_stopped();
    } catch (...) {  // Out of memory, which must not end the program.
      global().losses.add(Loss::kStoreError);
    }
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    changed_.notify_all();
  }

  /// False: the thread has not returned in time. Nothing more is recorded.
  bool stop() {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kPatience, [this] { return is_done_; });
    if (!is_done_) {
      nvml_.abandon();
      submit(fact("NVML did not answer when the capture ended"));
    }
    recorder_ = nullptr;
    return is_done_;
  }

 private:
  struct Added {
    std::uint32_t device;
    std::string uuid;
  };
  struct Known {
    std::uint32_t device;
    Nvml::Device handle;
  };

  void sample_until_stopped() {
    if (!wait_until(Clock::time_point::max())) return;
    if (const Status opened = nvml_.open(); !opened) {
      state_fact(opened.error().what);
      // Waits to be joined: in a program that leaves by _exit(), an ended thread would be a leak.
      while (wait_until(Clock::time_point::max())) take_added();
      return;
    }
    auto next = Clock::now() + interval_;
    do {
      if (Clock::now() >= next) {
        sample(known_);
        next += interval_;
        // If a sample takes longer than the interval, the thread still rests.
        if (const auto now = Clock::now(); next <= now) next = now + interval_;
      }
      find_added();
    } while (wait_until(next));
    nvml_.close();
  }

  /// Waits until a device is added or the time has come; false: stopped.
  bool wait_until(Clock::time_point time) {
    std::unique_lock lock(mutex_);
    const auto is_due = [this] { return is_stopping_ || !added_.empty(); };
    if (time == Clock::time_point::max()) {
      changed_.wait(lock, is_due);
    } else {
      changed_.wait_until(lock, time, is_due);
    }
    return !is_stopping_;
  }

  std::vector<Added> take_added() {
    const std::lock_guard lock(mutex_);
    return std::exchange(added_, {});
  }

  void find_added() {
    const std::vector<Added> added = take_added();
    std::vector<Known> found;
    for (const Added& one : added) {
      if (Nvml::Device handle = nvml_.find(one.uuid); handle != nullptr) {
        found.push_back({one.device, handle});
      } else {
        unknown_ += (unknown_.empty() ? "" : ", ") + std::to_string(one.device);
      }
    }
    known_.insert(known_.end(), found.begin(), found.end());
    if (!added.empty()) state_fact(how_sampled());
    sample(found);
  }

  /// One text for all devices, since they are all sampled in the same way.
  [[nodiscard]] std::string how_sampled() const {
    std::string text;
    if (!known_.empty()) {
      text = "every " + std::to_string(interval_.count() / 1'000'000) + " ms";
    }
    if (unknown_.empty()) return text;
    return text + (text.empty() ? "" : "; ") + "NVML does not know device " + unknown_;
  }

  void sample(const std::vector<Known>& devices) {
    if (devices.empty()) return;
    RecordBatch batch;
    for (const Known& one : devices) {
      const std::int64_t time = now_ns();
      DeviceStateRecord record = nvml_.state_of(one.handle);
      record.device = one.device;
      record.time_ns = time;
      batch.on(record);
    }
    lock_and_submit(std::move(batch));
  }

  static RecordBatch fact(std::string_view text) {
    RecordBatch batch;
    batch.on(MetaRecord{"device_state", text});
    return batch;
  }

  void state_fact(std::string_view text) { lock_and_submit(fact(text)); }

  void lock_and_submit(RecordBatch&& batch) {
    const std::lock_guard lock(mutex_);
    submit(std::move(batch));
  }

  void submit(RecordBatch&& batch) {
    if (recorder_ != nullptr) recorder_->submit(std::move(batch));
  }

  const std::chrono::nanoseconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Recorder* recorder_ = nullptr;
  std::vector<Added> added_;  ///< Devices not yet looked up.
  bool is_stopping_ = false, is_done_ = false;

  /// Used by the thread, like the members that follow; only abandon() is called from others.
  Nvml nvml_;
  std::vector<Known> known_;
  std::string unknown_;  ///< The devices that NVML does not know: "1, 3".
};

DeviceSource::DeviceSource(std::int64_t interval_ns)
    : sampler_(std::make_shared<Sampler>(interval_ns)) {}

DeviceSource::~DeviceSource() { end_events(End::kStop); }

void DeviceSource::add(std::uint32_t device, std::string_view uuid) { sampler_->add(device, uuid); }

void DeviceSource::connect(Recorder& recorder) {
  sampler_->connect(recorder);
  try {
    thread_ = start_internal_thread("prof-devices", [sampler = sampler_] { sampler->run(); });
  } catch (const std::exception&) {
    RecordBatch batch;
    batch.on(MetaRecord{"device_state", "no thread could be created"});
    recorder.submit(std::move(batch));
  }
}

void DeviceSource::end_events(End /*end*/) {
  if (!thread_.joinable()) return;
  if (sampler_->stop()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

}  // namespace prof::collectors
