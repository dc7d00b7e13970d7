// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See data_parallel.hpp.
#include "gpt/data_parallel.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace ref {
namespace {

std::vector<Communicator> connect(const GptConfig& config) {
  if (config.gpus == 1) return {};
  int present = 0;
  check(cudaGetDeviceCount(&present));
  if (present < config.gpus) {
    throw std::runtime_error("--gpus " + std::to_string(config.gpus) + ": this machine has " +
                             std::to_string(present));
  }
  return connect_gpus(config.gpus);
}

}  // namespace

/// A thread with a GPU and a replica, created with the first piece of work.
class DataParallel::Worker {
 public:
  using Work = std::function<void(Replica&)>;

  Worker(const GptConfig& config, Communicator& communicator, int rank)
      : config_(config), communicator_(communicator), rank_(rank), thread_([this] { serve(); }) {}

  ~Worker() {
    post(nullptr);
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// `work` must live until wait() returns; null ends the thread.
  void post(const Work* work) {
    const std::lock_guard lock(mutex_);
    work_ = work;
    busy_ = true;
    changed_.notify_all();
  }
  /// What the work threw, or null.
  std::exception_ptr wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    return std::exchange(error_, nullptr);
  }

 private:
  const Work* next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return busy_; });
    return work_;
  }
  void finish(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    busy_ = false;
    changed_.notify_all();
  }

  void serve() {
    std::unique_ptr<Gpu> gpu;
    std::unique_ptr<Replica> replica;
    while (const Work* work = next()) {
      std::exception_ptr error;
      try {
        if (replica == nullptr) {
          check(cudaSetDevice(rank_));
          gpu = std::make_unique<Gpu>();
          replica = std::make_unique<Replica>(*gpu, config_, &communicator_, rank_);
        }
        (*work)(*replica);
      } catch (...) {
        error = std::current_exception();
      }
      finish(std::move(error));
    }
  }

  GptConfig config_;
  Communicator& communicator_;
  int rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;
  bool busy_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // last: it uses the others
};

DataParallel::DataParallel(Gpu& gpu, const GptConfig& config)
    : communicators_(connect(config)),
      first_(std::make_unique<Replica>(
          gpu, config, communicators_.empty() ? nullptr : &communicators_.front(), 0)) {
  for (int rank = 1; rank < config.gpus; ++rank) {
    workers_.push_back(
        std::make_unique<Worker>(config, communicators_[static_cast<std::size_t>(rank)], rank));
  }
  on_each([](Replica&) {});  // makes them
}

DataParallel::~DataParallel() = default;

void DataParallel::on_each(const std::function<void(Replica&)>& work) {
  for (const auto& worker : workers_) worker->post(&work);
  std::exception_ptr error;
  try {
    work(*first_);
  } catch (...) {
    error = std::current_exception();
  }
  for (const auto& worker : workers_) {
    std::exception_ptr other = worker->wait();
    if (error == nullptr) error = std::move(other);
  }
  if (error != nullptr) std::rethrow_exception(error);
}

void DataParallel::before_steps() {
  on_each([](Replica& replica) { replica.before_steps(); });
}

void DataParallel::train_step() {
  on_each([](Replica& replica) { replica.train_step(); });
}

void DataParallel::counted_step(int number) {
  on_each([number](Replica& replica) { replica.counted_step(number - 1); });
}

std::uint64_t DataParallel::checksum() {
  const std::uint64_t expected = first_->checksum();
  std::mutex mutex;
  bool differs = false;
  on_each([&](Replica& replica) {
    const bool same = replica.checksum() == expected;
    const std::lock_guard lock(mutex);
    differs = differs || !same;
  });
  if (differs) throw std::runtime_error("the GPUs' parameters differ");
  return expected;
}

}  // namespace ref
