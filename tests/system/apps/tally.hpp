// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's own count of its launches in shared memory, so that it survives any death of the
// program. APP_TALLY names a file that whoever starts the program has made, kBytes of zeros; forked
// and exec'd processes add to the same one. Without the variable nothing is counted. Everything
// here is safe in a signal handler and on any thread. tests/adversary/processes/tally.py reads it.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

class Tally {
 public:
  static constexpr std::size_t kTicks = 4096;  ///< Of a tenth of a second each, used round.

  /// What lies in the file. Times are CLOCK_MONOTONIC, which all processes share.
  struct Shared {
    std::atomic<std::uint64_t> begun;      ///< Launches that were about to be made and not refused.
    std::atomic<std::uint64_t> done;       ///< Launches that CUDA has accepted.
    std::atomic<std::uint64_t> last_ns;    ///< When the last of them was accepted.
    std::atomic<std::uint64_t> left_with;  ///< 1 + done when exit was called; 0: it was not.
    std::atomic<std::uint64_t> handled;    ///< Signals that a handler of the program has seen.
    std::atomic<std::uint64_t> ticks[kTicks];  ///< Launches accepted, by tenth of a second.
  };
  static constexpr std::size_t kBytes = sizeof(Shared);

  /// Maps the file. Called before main, so that a cleared environment or a chroot changes nothing.
  void open() {
    const char* path = std::getenv("APP_TALLY");
    if (path == nullptr || shared_ != nullptr) return;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) _exit(74);
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) _exit(74);
    shared_ = static_cast<Shared*>(memory);
  }

  void begin(std::uint64_t count = 1) {
    if (shared_ != nullptr) shared_->begun += count;
  }

  void end(bool accepted, std::uint64_t count = 1) {
    if (shared_ == nullptr) return;
    if (!accepted) {
      shared_->begun -= count;
      return;
    }
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                    static_cast<std::uint64_t>(now.tv_nsec);
    shared_->ticks[ns / 100'000'000U % kTicks] += count;
    shared_->last_ns = ns;
    shared_->done += count;
  }

  /// Just before exit: other threads may still launch while the process goes.
  void leave() {
    if (shared_ != nullptr) shared_->left_with = shared_->done + 1;
  }

  void handled() {
    if (shared_ != nullptr) ++shared_->handled;
  }

 private:
  Shared* shared_ = nullptr;
};

/// The process's own; never destroyed.
Tally& tally();
