// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See cupti_subscription.hpp.
#include "collectors/cupti/cupti_subscription.hpp"

namespace prof::collectors {
namespace {

constexpr const char* kOurName = "libprof";

// Targets of the buffer functions of a shared CUPTI: CUPTI's own functions carry no user data
// either.
std::atomic<CUpti_BuffersCallbackRequestFunc> g_wanted{nullptr};
std::atomic<CUpti_BuffersCallbackCompleteFunc> g_filled{nullptr};

void wanted_shared(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records, void*) {
  g_wanted.load(std::memory_order_relaxed)(buffer, bytes, max_records);
}

void filled_shared(std::uint8_t* buffer, std::size_t bytes, std::size_t valid_bytes, void*) {
  g_filled.load(std::memory_order_relaxed)(nullptr, 0, buffer, bytes, valid_bytes);
}

}  // namespace

CUptiResult CuptiSubscription::begin(bool prefers_shared, CUpti_CallbackFunc callback,
                                     void* user_data) {
  other_tool_.fill('\0');
  const bool shares_first = prefers_shared && can_share_;
  // An older driver refuses to share; an exclusive subscription works there.
  if (shares_first && begin_shared(callback, user_data) == CUPTI_SUCCESS) return CUPTI_SUCCESS;
  const CUptiResult alone = begin_alone(callback, user_data);
  if (alone != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || shares_first || !can_share_)
    return alone;
  // Joins a tool that shares; otherwise this learns the other tool's name.
  return begin_shared(callback, user_data) == CUPTI_SUCCESS ? CUPTI_SUCCESS : alone;
}

CUptiResult CuptiSubscription::begin_alone(CUpti_CallbackFunc callback, void* user_data) {
  is_shared_.store(false, std::memory_order_release);
  CUptiResult result = CUPTI_SUCCESS;
  // Since 13.3 cuptiSubscribe_v2 may be used with the shared functions only. In earlier releases it
  // only adds the tools' names.
  if (!can_share_ && cupti_.subscribe_v2 != nullptr) {
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = kOurName;
    params.oldSubscriberName = other_tool_.data();
    params.oldSubscriberSize = other_tool_.size() - 1;
    result = cupti_.subscribe_v2(&handle_, callback, user_data, &params);
  } else {
    result = cupti_.subscribe(&handle_, callback, user_data);
  }
  if (result != CUPTI_SUCCESS) handle_ = nullptr;
  return result;
}

CUptiResult CuptiSubscription::begin_shared(CUpti_CallbackFunc callback, void* user_data) {
  SharedSubscriberParams params;
  params.subscriber_name = kOurName;
  params.old_subscriber_name = other_tool_.data();
  params.old_subscriber_size = other_tool_.size() - 1;
  const std::lock_guard lock(use_);
  const CUptiResult result = shared_.subscribe(&handle_, callback, user_data, &params);
  if (result != CUPTI_SUCCESS) handle_ = nullptr;
  is_shared_.store(result == CUPTI_SUCCESS, std::memory_order_release);
  return result;
}

void CuptiSubscription::end() {
  const auto lock = hold();
  if (handle_ != nullptr) cupti_.unsubscribe(handle_);
  handle_ = nullptr;
}

CUptiResult CuptiSubscription::set_attribute(CUpti_ActivityAttribute attribute,
                                             std::uint8_t value) {
  std::size_t bytes = sizeof value;
  if (is_shared()) return shared_.set_attribute(handle_, attribute, &bytes, &value);
  if (cupti_.set_attribute == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return cupti_.set_attribute(attribute, &bytes, &value);
}

void CuptiSubscription::use_system_thread_ids() {
  constexpr CUpti_ActivityThreadIdType kSystem = CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  if (!is_shared()) {
    if (cupti_.set_thread_id_type != nullptr) cupti_.set_thread_id_type(kSystem);
    return;
  }
  // The number is inferred: an attribute of another size is a different one.
  CUpti_ActivityThreadIdType type = kSystem;
  std::size_t bytes = sizeof type;
  if (shared_.get_attribute(handle_, kThreadIdTypeOfOne, &bytes, &type) != CUPTI_SUCCESS ||
      bytes != sizeof type) {
    return;
  }
  type = kSystem;
  shared_.set_attribute(handle_, kThreadIdTypeOfOne, &bytes, &type);
}

CUptiResult CuptiSubscription::register_buffers(CUpti_BuffersCallbackRequestFunc wanted,
                                                CUpti_BuffersCallbackCompleteFunc filled) {
  if (!is_shared()) return cupti_.register_callbacks(wanted, filled);
  g_wanted.store(wanted, std::memory_order_relaxed);
  g_filled.store(filled, std::memory_order_relaxed);
  return shared_.register_callbacks(handle_, wanted_shared, filled_shared);
}

CUptiResult CuptiSubscription::enable(CUpti_ActivityKind kind) {
  return is_shared() ? shared_.enable_kind(handle_, kind, nullptr) : cupti_.enable_kind(kind);
}

CUptiResult CuptiSubscription::disable(CUpti_ActivityKind kind) {
  return is_shared() ? shared_.disable_kind(handle_, kind, nullptr) : cupti_.disable_kind(kind);
}

bool CuptiSubscription::choose_whole_graphs(bool wanted) {
  // Refused once any tool has enabled a kind, so the result decides.
  if (wanted) (void)set_attribute(kWholeGraphsForAll, 1);
  std::uint8_t are_whole = 0;
  std::size_t bytes = sizeof are_whole;
  return shared_.get_attribute(handle_, kWholeGraphsForAll, &bytes, &are_whole) == CUPTI_SUCCESS &&
         are_whole == 1;
}

std::unique_lock<std::mutex> CuptiSubscription::hold() {
  return is_shared() ? std::unique_lock(use_) : std::unique_lock<std::mutex>();
}

CUptiResult CuptiSubscription::next_record(std::uint8_t* buffer, std::size_t valid_bytes,
                                           CUpti_Activity** record) {
  if (!is_shared()) return cupti_.next_record(buffer, valid_bytes, record);
  if (handle_ == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return shared_.next_record(handle_, buffer, valid_bytes, record);
}

CUptiResult CuptiSubscription::dropped_records(std::size_t* dropped) {
  if (!is_shared()) return cupti_.dropped_records(nullptr, 0, dropped);
  const std::lock_guard lock(use_);
  if (handle_ == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return shared_.dropped_records(handle_, nullptr, 0, dropped);
}

CUptiResult CuptiSubscription::timestamp(std::uint64_t* now) {
  if (!is_shared()) return cupti_.get_timestamp(now);
  const std::lock_guard lock(use_);
  if (handle_ == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return shared_.get_timestamp(handle_, now);
}

}  // namespace prof::collectors
