// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nccl/nccl_source.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "collectors/core/caller.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/write_event.hpp"
#include "collectors/nccl/nccl_sink.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {
namespace {

/// The words follow, each terminated by a zero.
struct NcclCallEvent {
  EventHeader header;
  Correlation launch;
  std::uint64_t communicator;
  std::int64_t sequence;
  std::uint64_t count;
  std::int32_t rank, ranks, peer, root, channels;
  std::uint32_t word_bytes;
};

constexpr std::size_t kWords = 4;
constexpr std::size_t kMaxWordBytes = 31;  ///< NCCL's longest word has 14.

constinit std::atomic<bool> g_is_wanted{false};
/// The version that NCCL has used last; 0: it uses no plugin.
constinit std::atomic<std::uint32_t> g_interface{0};

using Words = std::array<char, kWords*(kMaxWordBytes + 1)>;

std::size_t write_words(const NcclCall& call, Words& to) noexcept {
  std::size_t at = 0;
  for (const char* word : {call.function, call.type, call.algorithm, call.protocol}) {
    const std::size_t bytes = word != nullptr ? strnlen(word, kMaxWordBytes) : 0;
    if (bytes != 0) std::memcpy(to.data() + at, word, bytes);
    to[at + bytes] = '\0';
    at += bytes + 1;
  }
  return at;
}

NcclTaken record(const NcclCall& call) noexcept {
  const Caller caller;
  if (!caller) {
    if (caller.refused()) refuse_event();
    return NcclTaken::kOff;
  }
  ThreadState& thread = *caller.thread;
  // A launch makes its thread part of the session.
  const bool has_launched = thread.epoch == caller.epoch && caller.epoch != 0 &&
                            thread.last_work_epoch == caller.epoch && thread.last_work != 0;
  if (!has_launched) return NcclTaken::kUnknownLaunch;
  Words words;
  const std::size_t bytes = write_words(call, words);
  NcclCallEvent event{{},
                      thread.last_work,
                      call.communicator,
                      call.sequence,
                      call.count,
                      call.rank,
                      call.ranks,
                      call.peer,
                      call.root,
                      call.channels,
                      static_cast<std::uint32_t>(bytes)};
  write_event(thread, kNcclCallEvent, event, {words.data(), bytes});
  return NcclTaken::kTaken;
}

NcclTaken take(const NcclCall& call) noexcept {
  if (!g_is_wanted.load(std::memory_order_relaxed)) return NcclTaken::kOff;
  const int error = errno;
  const NcclTaken taken = record(call);
  errno = error;
  return taken;
}

void in_use(std::uint32_t version) noexcept {
  g_interface.store(version, std::memory_order_relaxed);
}

std::optional<std::uint32_t> or_none(std::int32_t number) {
  return number >= 0 ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

/// Size of an element of that type; 0: unknown.
std::uint64_t size_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"ncclInt8", 1},    {"ncclUint8", 1},    {"ncclInt32", 4},      {"ncclUint32", 4},
      {"ncclInt64", 8},   {"ncclUint64", 8},   {"ncclFloat16", 2},    {"ncclFloat32", 4},
      {"ncclFloat64", 8}, {"ncclBfloat16", 2}, {"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1}};
  const auto* found = std::ranges::find(kSizes, type, [](const auto& one) { return one.first; });
  return found != std::end(kSizes) ? found->second : 0;
}

/// Takes the part of `words` up to the next zero.
std::string_view take_word(std::string_view& words) {
  const std::size_t end = std::min(words.find('\0'), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(words.size(), end + 1));
  return word;
}

}  // namespace

const NcclSink& nccl_sink() noexcept {
  static constexpr NcclSink kSink{sizeof(NcclSink), take, in_use};
  return kSink;
}

void NcclSource::connect(Recorder& recorder) {
  if (!has_launches_) {
    return print_line_("no calls of NCCL are recorded: --api none leaves out what launches them");
  }
  recorder_ = &recorder;
  g_is_wanted.store(true, std::memory_order_relaxed);
}

StringId NcclSource::intern(std::string_view word, ActivitySink& sink) {
  if (word.empty()) return {};
  const auto [found, is_new] = words_.try_emplace(std::string(word));
  if (is_new) found->second = sink.intern(word);
  return found->second;
}

bool NcclSource::read(ThreadId /*thread*/, const EventHeader& header, ActivitySink& sink) {
  if (header.kind != kNcclCallEvent || header.bytes < sizeof(NcclCallEvent)) return false;
  NcclCallEvent event{};
  std::memcpy(&event, &header, sizeof event);
  if (event.word_bytes > header.bytes - sizeof event) return false;
  std::string_view words(reinterpret_cast<const char*>(&header) + sizeof event, event.word_bytes);
  const std::string_view function = take_word(words), type = take_word(words);
  const std::string_view algorithm = take_word(words), protocol = take_word(words);
  CollectiveRecord record;
  record.correlation = event.launch;
  record.communicator = event.communicator;
  if (event.sequence >= 0) record.sequence = static_cast<std::uint64_t>(event.sequence);
  record.rank = or_none(event.rank);
  record.ranks = or_none(event.ranks);
  record.peer = or_none(event.peer);
  record.root = or_none(event.root);
  record.channels = or_none(event.channels);
  record.operation = intern(function, sink);
  record.type = intern(type, sink);
  record.algorithm = intern(algorithm, sink);
  record.protocol = intern(protocol, sink);
  std::uint64_t bytes = 0;
  const std::uint64_t size = size_of_type(type);
  if (size != 0 && !__builtin_mul_overflow(event.count, size, &bytes)) record.bytes = bytes;
  sink.records().on(record);
  return true;
}

void NcclSource::end_events(End /*end*/) { g_is_wanted.store(false, std::memory_order_relaxed); }

/// Added here rather than with the other facts: a program makes its communicators after the start.
void NcclSource::stop(End /*end*/, bool /*detach*/) {
  if (recorder_ == nullptr) return;
  const std::uint32_t version = g_interface.load(std::memory_order_relaxed);
  RecordBatch batch;
  batch.on(MetaRecord{"nccl_plugin", version != 0 ? "version " + std::to_string(version)
                                                  : "no NCCL has loaded libprof_nccl.so"});
  recorder_->submit(std::move(batch));
}

}  // namespace prof::collectors
