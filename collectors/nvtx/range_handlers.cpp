// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Handlers of pushes, pops, starts, ends and marks.
#include "collectors/core/caller.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/nvtx/event_attributes.hpp"
#include "collectors/nvtx/handlers.hpp"
#include "collectors/nvtx/payload_data.hpp"
#include "collectors/nvtx/range_trigger.hpp"

namespace prof::collectors {
namespace {

int push_event(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes,
               RangeBegin& begin) noexcept {
  const Caller caller;
  if (!caller && !caller.refused()) return NVTX_NO_PUSH_POP_TRACKING;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  if (!caller) {
    refuse_push(domain->id);
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  const ParsedEvent event = parse_attributes(*caller.thread, *domain, attributes);
  begin.look(*caller.thread, *domain, event.annotation);
  const PushPopResult pushed = push_range(*caller.thread, caller.epoch, event.annotation);
  if (event.payload_count != 0) {
    keep_payloads(*caller.thread, caller.epoch, Attachment::kRange, pushed.range, *domain,
                  event.payloads, event.payload_count);
  }
  return pushed.level;
}

int push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes) noexcept {
  RangeBegin begin;
  const int level = push_event(handle, attributes, begin);
  begin.push_done(level);
  return level;
}

/// The annotation of a text without attributes. Its triggers are looked up, too.
template <typename Char>
Annotation begin_text(const Caller& caller, const Char* text, RangeBegin& begin) noexcept {
  const Annotation annotation = parse_text(*caller.thread, text);
  begin.look(*caller.thread, global().objects.default_domain(), annotation);
  return annotation;
}

template <typename Char>
int push_plain(const Char* text, RangeBegin& begin) noexcept {
  const Caller caller;
  if (!caller) {
    if (caller.refused()) refuse_push(kDefaultDomain);
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  return push_range(*caller.thread, caller.epoch, begin_text(caller, text, begin)).level;
}

template <typename Char>
int push_text(const Char* text) noexcept {
  RangeBegin begin;
  const int level = push_plain(text, begin);
  begin.push_done(level);
  return level;
}

int pop_event(nvtxDomainHandle_t handle, RangeEnd& end) noexcept {
  const Caller caller;
  if (!caller && !caller.refused()) return NVTX_NO_PUSH_POP_TRACKING;
  const Domain* domain = to_domain_of_open(handle);
  if (domain == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  if (!caller) {
    refuse_pop(domain->id);
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  const int level = pop_range(*caller.thread, caller.epoch, domain->id).level;
  end.look(*caller.thread, domain->id, level);
  return level;
}

int pop(nvtxDomainHandle_t handle) noexcept {
  RangeEnd end;
  const int level = pop_event(handle, end);
  end.done();
  return level;
}

nvtxRangeId_t start_event(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes,
                          RangeBegin& begin) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return 0;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return 0;
  const ParsedEvent event = parse_attributes(*caller.thread, *domain, attributes);
  begin.look(*caller.thread, *domain, event.annotation);
  const RangeId id = start_process_range(*caller.thread, event.annotation);
  if (event.payload_count != 0) {
    keep_payloads(*caller.thread, caller.epoch, Attachment::kProcessRange, id, *domain,
                  event.payloads, event.payload_count);
  }
  return id;
}

nvtxRangeId_t start(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes) noexcept {
  RangeBegin begin;
  const nvtxRangeId_t id = start_event(handle, attributes, begin);
  begin.start_done(id);
  return id;
}

template <typename Char>
nvtxRangeId_t start_plain(const Char* text, RangeBegin& begin) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return 0;
  return start_process_range(*caller.thread, begin_text(caller, text, begin));
}

template <typename Char>
nvtxRangeId_t start_text(const Char* text) noexcept {
  RangeBegin begin;
  const nvtxRangeId_t id = start_plain(text, begin);
  begin.start_done(id);
  return id;
}

void end_event(nvtxRangeId_t id) noexcept {
  const Caller caller;
  // An id of 0 is that of a refused start, which was counted there.
  if (caller.refused() && id != 0) refuse_event();
  if (caller) end_process_range(*caller.thread, caller.epoch, id);
}

void end(nvtxRangeId_t id) noexcept {
  end_event(id);
  if (WindowTriggers* const triggers = window_triggers()) triggers->process_range_ends(id);
}

void mark_event(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (!caller) return;
  const Domain* domain = to_domain(handle);
  if (domain == nullptr) return;
  const ParsedEvent event = parse_attributes(*caller.thread, *domain, attributes);
  const bool recorded = mark(*caller.thread, caller.epoch, event.annotation);
  if (recorded && event.payload_count != 0) {
    keep_payloads(*caller.thread, caller.epoch, Attachment::kMark, 0, *domain, event.payloads,
                  event.payload_count);
  }
}

template <typename Char>
void mark_text(const Char* text) noexcept {
  const Caller caller;
  if (caller.refused()) refuse_event();
  if (caller) mark(*caller.thread, caller.epoch, parse_text(*caller.thread, text));
}

// The calls without a domain, with NVTX's signatures.
void NVTX_API on_mark(const nvtxEventAttributes_t* event) noexcept { mark_event(nullptr, event); }
void NVTX_API on_mark_a(const char* text) noexcept { mark_text(text); }
void NVTX_API on_mark_w(const wchar_t* text) noexcept { mark_text(text); }
nvtxRangeId_t NVTX_API on_start(const nvtxEventAttributes_t* event) noexcept {
  return start(nullptr, event);
}
nvtxRangeId_t NVTX_API on_start_a(const char* text) noexcept { return start_text(text); }
nvtxRangeId_t NVTX_API on_start_w(const wchar_t* text) noexcept { return start_text(text); }
void NVTX_API on_end(nvtxRangeId_t id) noexcept { end(id); }
int NVTX_API on_push(const nvtxEventAttributes_t* event) noexcept { return push(nullptr, event); }
int NVTX_API on_push_a(const char* text) noexcept { return push_text(text); }
int NVTX_API on_push_w(const wchar_t* text) noexcept { return push_text(text); }
int NVTX_API on_pop() noexcept { return pop(nullptr); }
// The id alone identifies the range, whatever its domain.
void NVTX_API on_domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) noexcept { end(id); }

void NVTX_API on_initialize(const void*) noexcept {}

}  // namespace

void install_core(const SlotTable& table) noexcept {
  table.set(NVTX_CBID_CORE_MarkEx, on_mark);
  table.set(NVTX_CBID_CORE_MarkA, on_mark_a);
  table.set(NVTX_CBID_CORE_MarkW, on_mark_w);
  table.set(NVTX_CBID_CORE_RangeStartEx, on_start);
  table.set(NVTX_CBID_CORE_RangeStartA, on_start_a);
  table.set(NVTX_CBID_CORE_RangeStartW, on_start_w);
  table.set(NVTX_CBID_CORE_RangeEnd, on_end);
  table.set(NVTX_CBID_CORE_RangePushEx, on_push);
  table.set(NVTX_CBID_CORE_RangePushA, on_push_a);
  table.set(NVTX_CBID_CORE_RangePushW, on_push_w);
  table.set(NVTX_CBID_CORE_RangePop, on_pop);
  install_core_names(table);
}

void install_core2(const SlotTable& table) noexcept {
  table.set(NVTX_CBID_CORE2_DomainMarkEx, mark_event);
  table.set(NVTX_CBID_CORE2_DomainRangeStartEx, start);
  table.set(NVTX_CBID_CORE2_DomainRangeEnd, on_domain_end);
  table.set(NVTX_CBID_CORE2_DomainRangePushEx, push);
  table.set(NVTX_CBID_CORE2_DomainRangePop, pop);
  table.set(NVTX_CBID_CORE2_Initialize, on_initialize);
  install_core2_names(table);
}

}  // namespace prof::collectors
