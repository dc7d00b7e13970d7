// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CuptiSubscription: our place at CUPTI, and the functions that depend on it. We hold CUPTI alone,
// by the interface that every release has, or share it with other tools by that of CUDA 13.3
// (cupti_shared_api.hpp). CUPTI refuses to mix the two in a process, so one is chosen for each
// subscription: sharing first if the user asked for it, else only if another tool already shares
// (docs/decisions/0004-harmless.md says why).
//
// Threads: begin() and end() on the thread that controls the capture, the rest on any. CUPTI's
// shared functions need a live subscriber: functions that run on our own threads hold a lock that
// end() takes, too.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "collectors/cupti/cupti_functions.hpp"
#include "collectors/cupti/cupti_shared_api.hpp"

namespace prof::collectors {

class CuptiSubscription {
 public:
  /// `cupti` outlives this.
  explicit CuptiSubscription(const CuptiFunctions& cupti) : cupti_(cupti) {}

  /// To be called after `cupti` has been loaded.
  void load(void* library, std::uint32_t version) {
    can_share_ = version >= kSharesCupti && shared_.load(library);
  }

  CUptiResult begin(bool prefers_shared, CUpti_CallbackFunc callback, void* user_data);
  /// Ends this subscription; those of other tools continue.
  void end();

  [[nodiscard]] CUpti_SubscriberHandle handle() const { return handle_; }
  [[nodiscard]] bool is_shared() const { return is_shared_.load(std::memory_order_acquire); }
  /// The tool that held CUPTI at the last begin(), or that was first to share it; may be empty.
  [[nodiscard]] std::string other_tool() const { return other_tool_.data(); }

  CUptiResult set_attribute(CUpti_ActivityAttribute attribute, std::uint8_t value);
  /// Makes records have thread ids as gettid() returns them.
  void use_system_thread_ids();
  /// The last two apply to all subscriptions of the process.
  CUptiResult register_buffers(CUpti_BuffersCallbackRequestFunc wanted,
                               CUpti_BuffersCallbackCompleteFunc filled);
  CUptiResult enable(CUpti_ActivityKind kind);
  CUptiResult disable(CUpti_ActivityKind kind);
  /// If shared, before a kind is enabled: whether CUDA graphs are recorded as a whole, which the
  /// first tool decides for all.
  bool choose_whole_graphs(bool wanted);

  /// Keeps the subscriber alive while its records are read.
  [[nodiscard]] std::unique_lock<std::mutex> hold();
  /// To be called under hold().
  CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record);
  CUptiResult dropped_records(std::size_t* dropped);
  CUptiResult timestamp(std::uint64_t* now);

 private:
  CUptiResult begin_alone(CUpti_CallbackFunc callback, void* user_data);
  CUptiResult begin_shared(CUpti_CallbackFunc callback, void* user_data);

  const CuptiFunctions& cupti_;
  SharedCuptiFunctions shared_;
  bool can_share_ = false;
  std::atomic<bool> is_shared_{false};  ///< Kept after end(): buffers may still come.
  CUpti_SubscriberHandle handle_ = nullptr;
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN * 2> other_tool_{};
  std::mutex use_;  ///< Guards the end of a shared subscription.
};

}  // namespace prof::collectors
