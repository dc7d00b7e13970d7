// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/event_decoder.hpp"

#include <cstring>
#include <utility>

namespace prof::collectors {
namespace {

/// The event that follows a header. Rings are raw bytes, so it is copied out.
template <typename Event>
Event read(const EventHeader& header) {
  Event event;
  std::memcpy(static_cast<void*>(&event), &header, sizeof event);
  return event;
}

template <typename Event>
std::string_view behind(const EventHeader& header, std::uint32_t bytes) {
  return {reinterpret_cast<const char*>(&header) + sizeof(Event), bytes};
}

template <typename Event>
std::string_view inline_text(const EventHeader& header, const Annotation& annotation) {
  return annotation.registered != nullptr ? std::string_view()
                                          : behind<Event>(header, annotation.text_bytes);
}

template <typename Event>
bool holds(const EventHeader& header) {
  return header.bytes >= sizeof(Event);
}

template <typename Event>
bool holds_text(const EventHeader& header) {
  if (!holds<Event>(header)) return false;
  const Annotation annotation = read<Event>(header).annotation;
  return annotation.registered != nullptr || annotation.text_bytes <= header.bytes - sizeof(Event);
}

bool holds_op(const EventHeader& header) {
  if (!holds<OpEvent>(header)) return false;
  const auto op = read<OpEvent>(header);
  return std::uint64_t{op.text_bytes} + op.bytes <= header.bytes - sizeof(OpEvent);
}

/// Whether an event is as long as its kind requires. It always is, unless the program corrupts
/// memory.
bool is_whole(const EventHeader& header) {
  switch (header.kind) {
    case EventKind::kEpoch:
      return holds<EpochEvent>(header);
    case EventKind::kPush:
      return holds_text<PushEvent>(header);
    case EventKind::kOp:
      return holds_op(header);
    case EventKind::kPop:
      return holds<PopEvent>(header);
    case EventKind::kAlias:
      return holds<AliasEvent>(header);
    case EventKind::kRange:
      return holds_text<RangeEvent>(header);
    case EventKind::kMark:
      return holds_text<MarkEvent>(header);
    case EventKind::kBlob:
      return holds<BlobEvent>(header) &&
             read<BlobEvent>(header).bytes <= header.bytes - sizeof(BlobEvent);
    case EventKind::kApi:
      return holds<ApiEvent>(header) &&
             static_cast<std::size_t>(read<ApiEvent>(header).domain) < kApiDomains;
    case EventKind::kPadding:
      return false;
  }
  return true;  // A kind that only its source knows.
}

/// The range that a PushEvent or an OpEvent opens.
template <typename Event>
RangeRecord opened_by(const Event& event, ThreadId thread, StringId text) {
  RangeRecord range;
  range.id = event.id;
  range.parent = event.parent;
  range.thread = range.end_thread = thread;
  range.text = text;
  range.start_ns = event.start_ns;
  return range;
}

template <typename Record>
void annotate(Record& record, const Annotation& annotation) {
  record.domain = annotation.domain;
  record.category = annotation.category;
  record.color_argb = annotation.color_argb;
  record.payload = {annotation.payload_type, annotation.payload_bits};
}

}  // namespace

EventDecoder::EventDecoder(Global& global, SessionEpochs epochs, bool is_window,
                           StringInterner& strings, RecordBatch& batch, RecorderClient& client,
                           BufferDecoder* decoder, ActivitySink& sink)
    : global_(global),
      epochs_(epochs),
      epoch_(epochs.own),
      is_window_(is_window),
      interner_(strings),
      batch_(batch),
      client_(client),
      decoder_(decoder),
      sink_(sink) {}

EventDecoder::~EventDecoder() {
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    delete std::exchange(thread->view, nullptr);
  }
}

void EventDecoder::drain(std::size_t batch_bytes, const std::function<void()>& full) {
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    const auto life = thread->life.load(std::memory_order_acquire);
    if (life == ThreadState::Life::kFree) continue;
    drain(*thread, batch_bytes, full);
    if (life != ThreadState::Life::kExited || thread->ring.used() != 0) continue;
    close(*thread);
    const std::lock_guard lock(global_.registry_mutex);
    recycle(global_, *thread);
    if (global_.exited_threads != 0) --global_.exited_threads;
  }
}

void EventDecoder::drain(ThreadState& thread, std::size_t batch_bytes,
                         const std::function<void()>& full) {
  // Only the events present now: a busy thread must not keep the worker from the other threads.
  std::uint64_t left = thread.ring.used();
  while (left != 0) {
    const EventHeader* header = thread.ring.front();
    if (header == nullptr) {
      if (thread.ring.take_damaged()) global_.losses.add(Loss::kDamagedEvent);
      return;
    }
    left = left > header->bytes ? left - header->bytes : 0;
    ThreadView& view = view_of(thread);
    if (!is_whole(*header)) {
      global_.losses.add(Loss::kDamagedEvent);
    } else if (header->kind == EventKind::kEpoch) {
      if (!enter_epoch(thread, view, *header)) return;
    } else if (epochs_.has(view.epoch)) {
      decode(view, *header);
    } else if (header->kind != EventKind::kPop && header->kind != EventKind::kAlias) {
      global_.losses.add(Loss::kBeforeStart);  // Written while an earlier session was ending.
    }
    thread.ring.pop();
    if (batch_.bytes() > batch_bytes) full();
  }
}

bool EventDecoder::enter_epoch(ThreadState& thread, ThreadView& view, const EventHeader& header) {
  const auto event = read<EpochEvent>(header);
  if (epochs_.is_later(event.epoch)) return false;
  if (epochs_.has(view.epoch)) view.ranges.restart(*this);
  view.epoch = event.epoch;
  view.id = event.thread;
  if (epochs_.has(view.epoch) && !view.thread_emitted) {
    emit_thread(thread, view, global_.objects.thread_name(thread.os_tid));
  }
  return true;
}

ThreadView& EventDecoder::view_of(ThreadState& thread) {
  if (thread.view == nullptr) thread.view = new ThreadView;
  return *thread.view;
}

void EventDecoder::decode(ThreadView& view, const EventHeader& header) {
  switch (header.kind) {
    case EventKind::kPush:
      return decode_push(view, header);
    case EventKind::kOp:
      return decode_op(view, header);
    case EventKind::kPop: {
      const auto event = read<PopEvent>(header);
      return view.ranges.pop(event.id, event.end_ns, *this);
    }
    case EventKind::kAlias:
      return view.ranges.alias(read<AliasEvent>(header), *this);
    case EventKind::kRange:
      return decode_range(view, header);
    case EventKind::kMark:
      return decode_mark(view, header);
    case EventKind::kBlob:
      return decode_blob(header);
    case EventKind::kApi:
      return decode_api(view, header);
    case EventKind::kPadding:
    case EventKind::kEpoch:
      return;
  }
  view.ranges.need(*this);  // The event is a launch of a graph, a node or a system call.
  if (!client_.read(view.id, header, sink_)) global_.losses.add(Loss::kDamagedEvent);
}

void EventDecoder::decode_push(ThreadView& view, const EventHeader& header) {
  const auto event = read<PushEvent>(header);
  const Text text = text_of(event.annotation, inline_text<PushEvent>(header, event.annotation));
  RangeRecord range = opened_by(event, view.id, text.id);
  annotate(range, event.annotation);
  view.ranges.push(range, text.numbers, *this);
}

void EventDecoder::decode_op(ThreadView& view, const EventHeader& header) {
  const auto event = read<OpEvent>(header);
  const std::string_view all = behind<OpEvent>(header, event.text_bytes + event.bytes);
  const std::string_view text = all.substr(0, event.text_bytes);
  view.ranges.push_op(opened_by(event, view.id, intern(text)), event, text,
                      all.substr(event.text_bytes), *this);
}

OpFact EventDecoder::fact_of(const OpEvent& op, std::string_view text, std::string_view bytes) {
  return client_.read_op(op, text, bytes, sink_).value_or(OpFact{});
}

void EventDecoder::decode_range(ThreadView& view, const EventHeader& header) {
  const auto event = read<RangeEvent>(header);
  const Text text = text_of(event.annotation, inline_text<RangeEvent>(header, event.annotation));
  RangeRecord record;
  annotate(record, event.annotation);
  record.id = event.id;
  record.kind = RangeRecord::Kind::kStartEnd;
  record.thread = event.thread;
  record.end_thread = view.id;
  record.text = text.id;
  record.numbers = text.numbers;
  record.start_ns = event.start_ns;
  record.end_ns = event.end_ns;
  batch_.on(record);
}

void EventDecoder::decode_mark(ThreadView& view, const EventHeader& header) {
  const auto event = read<MarkEvent>(header);
  view.ranges.need(*this);
  const Text text = text_of(event.annotation, inline_text<MarkEvent>(header, event.annotation));
  MarkRecord record;
  annotate(record, event.annotation);
  record.thread = view.id;
  record.parent = event.parent;
  record.text = text.id;
  record.numbers = text.numbers;
  record.time_ns = event.time_ns;
  batch_.on(record);
}

void EventDecoder::decode_blob(const EventHeader& header) {
  const auto event = read<BlobEvent>(header);
  if (event.schema >= kFirstDynamicSchema + schemas_emitted_) emit_definitions();
  batch_.on(PayloadBlobRecord{event.range, event.domain, event.schema,
                              behind<BlobEvent>(header, event.bytes)});
}

void EventDecoder::decode_api(ThreadView& view, const EventHeader& header) {
  const auto event = read<ApiEvent>(header);
  view.ranges.call(*this);
  ApiRecord record;
  record.correlation = event.correlation;
  record.depth = event.depth;
  record.domain = event.domain;
  record.function = function_name(event.domain, event.cbid);
  record.thread = view.id;
  record.stack = event.stack;
  record.status = event.status;
  record.start_ns = event.start_ns;
  record.end_ns = event.end_ns;
  batch_.on(record);
}

EventDecoder::Text EventDecoder::text_of(const Annotation& annotation, std::string_view text) {
  if (annotation.domain.value > domains_emitted_) emit_definitions();
  const RegisteredString* registered = annotation.registered;
  if (registered == nullptr) {
    const StringInterner::Split split = interner_.intern_split(text, batch_);
    return {split.text, split.numbers};
  }
  // Registered texts repeat, so they are kept whole and looked up once.
  if (registered->emitted_epoch != epoch_) {
    registered->emitted_id = registered->overflow ? kOverflowString : intern(registered->text);
    registered->emitted_epoch = epoch_;
  }
  return {registered->emitted_id, {}};
}

StringId EventDecoder::function_name(ApiRecord::Domain domain, std::uint32_t cbid) {
  std::vector<StringId>& names = function_names_[static_cast<std::size_t>(domain)];
  constexpr std::uint32_t kMaxCached = 16'384;
  if (cbid >= kMaxCached)
    return intern(decoder_ != nullptr ? decoder_->api_name(domain, cbid) : "");
  if (cbid >= names.size()) names.resize(cbid + 1);
  if (!names[cbid] && decoder_ != nullptr) names[cbid] = intern(decoder_->api_name(domain, cbid));
  return names[cbid];
}

void EventDecoder::emit_thread(const ThreadState& thread, ThreadView& view,
                               std::string_view program_name) {
  const std::string_view name = program_name.empty() ? std::string_view(thread.name) : program_name;
  if (view.thread_emitted && view.name == name) return;
  batch_.on(ThreadRecord{view.id, thread.os_tid, thread.generation, intern(name)});
  view.thread_emitted = true;
  view.name = name;
}

void EventDecoder::emit_definitions() {
  for (const Domain* domain : global_.objects.domains_since(domains_emitted_)) {
    batch_.on(DomainRecord{domain->id, intern(domain->name)});
  }
  for (const PayloadSchema* schema : global_.objects.schemas_since(schemas_emitted_)) {
    batch_.on(
        PayloadSchemaRecord{schema->domain, schema->id, intern(schema->name), schema->fields_json});
  }
  for (const Document* document : global_.objects.documents_since(documents_emitted_)) {
    batch_.on(DocumentRecord{document->kind, document->name, document->bytes});
  }
  for (const ProgramName& name : global_.objects.names_since(names_emitted_)) {
    batch_.on(NameRecord{name.kind, name.domain, name.object, intern(name.text)});
  }
  const std::uint64_t version = global_.objects.thread_names_version();
  if (version == thread_names_emitted_) return;
  thread_names_emitted_ = version;
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    if (thread->life.load(std::memory_order_acquire) != ThreadState::Life::kAlive) continue;
    if (thread->view == nullptr || !thread->view->thread_emitted) continue;
    emit_thread(*thread, *thread->view, global_.objects.thread_name(thread->os_tid));
  }
}

void EventDecoder::emit_open_ranges() {
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    if (thread->view != nullptr) thread->view->ranges.record_open(*this);
  }
  if (is_standby(epoch_)) return;  // Start/end ranges are on no stack.
  for (const OpenProcessRange& open : global_.objects.take_new_open_ranges(epoch_)) {
    const Text text = text_of(open.annotation, open.text);
    RangeRecord record;
    annotate(record, open.annotation);
    record.id = open.id;
    record.kind = RangeRecord::Kind::kStartEnd;
    record.thread = record.end_thread = open.thread;
    record.text = text.id;
    record.numbers = text.numbers;
    record.start_ns = open.start_ns;
    batch_.on(record);
  }
}

void EventDecoder::emit_losses() {
  if (is_standby(epoch_)) return;  // The next capture records them.
  std::uint64_t outside = 0;
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    if (thread->life.load(std::memory_order_acquire) != ThreadState::Life::kAlive) continue;
    const std::uint64_t seen = thread->outside_capture.load(std::memory_order_relaxed);
    outside += seen - thread->outside_capture_seen;
    thread->outside_capture_seen = seen;
  }
  {
    const std::lock_guard lock(global_.registry_mutex);
    outside += std::exchange(global_.outside_capture_of_exited, 0);
  }
  if (!is_window_) global_.losses.add(Loss::kBeforeStart, outside);
  for (std::size_t i = 0; i < kLossCount; ++i) {
    const auto loss = static_cast<Loss>(i);
    const LossCounters::Delta delta = global_.losses.take(loss);
    if (delta.count != 0) batch_.add_loss(loss, delta.count, delta.first_ns, delta.last_ns);
  }
  interner_.report_losses(batch_, now_ns());
}

void EventDecoder::close(ThreadState& thread) {
  const std::unique_ptr<ThreadView> view(std::exchange(thread.view, nullptr));
  if (view == nullptr) return;
  const bool ended = thread.life.load(std::memory_order_acquire) == ThreadState::Life::kExited;
  if (view->thread_emitted) {
    // The thread's final state is safe to read only once it has ended.
    emit_thread(thread, *view,
                ended ? thread.program_name : global_.objects.thread_name(thread.os_tid));
  }
  const std::uint64_t unclosed = view->ranges.finish(*this);
  if (!is_standby(view->epoch) && (ended || !is_window_))
    global_.losses.add(Loss::kUnclosedRange, unclosed);
}

void EventDecoder::finish() {
  emit_definitions();
  emit_open_ranges();
  if (!is_standby(epoch_) && !is_window_)
    global_.losses.add(Loss::kUnclosedRange, global_.objects.count_open_ranges(epoch_));
  for (ThreadState* thread = global_.threads.load(std::memory_order_acquire); thread != nullptr;
       thread = thread->next) {
    close(*thread);
  }
}

}  // namespace prof::collectors
