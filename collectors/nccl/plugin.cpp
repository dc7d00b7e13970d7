// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// libprof_nccl.so: a profiler plugin of NCCL, which NCCL loads where NCCL_PROFILER_PLUGIN names it.
// NCCL calls it right after each launch, on the launching thread, with the collectives, sends and
// receives that the kernel runs; they go to the collector's sink (nccl_sink.hpp). It asks for
// nothing that costs the GPU or NCCL's proxy threads anything, reports no error to NCCL, and
// without a collector in the process asks for nothing at all.
//
// For calls that are captured into a CUDA graph NCCL reports the capture or each replay, depending
// on the network, so nothing is counted from them: since 2.26 NCCL does not number them either.
//
// Threads: any. NCCL makes the calls of a communicator one after the other, but its callbacks on
// CUDA's thread may come at the same time.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "collectors/nccl/nccl_sink.hpp"
#include "collectors/nccl/profiler_interface.hpp"
#include "libprof/control/collector_api.hpp"

namespace prof::collectors::nccl {
namespace {

constexpr const char* kName = "libprof";
constexpr int kWanted = kCollectiveEvent | kTransferEvent;

const NcclSink* sink_of(void* library) noexcept {
  auto* const getter =
      reinterpret_cast<ProfCollectorApiGetter*>(dlsym(library, "prof_collector_api_v1"));
  const ProfCollectorApi* const api = getter != nullptr ? getter() : nullptr;
  constexpr std::size_t kNeeded = offsetof(ProfCollectorApi, nccl_sink) + sizeof(api->nccl_sink);
  if (api == nullptr || api->version != 1 || api->struct_size < kNeeded) return nullptr;
  const auto* const sink = static_cast<const NcclSink*>(api->nccl_sink);
  return sink != nullptr && sink->struct_size >= sizeof(NcclSink) ? sink : nullptr;
}

/// Returns the collector's sink, whichever code loaded the collector; never loads one.
const NcclSink* find_sink() noexcept {
  if (const NcclSink* sink = sink_of(RTLD_DEFAULT)) return sink;
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* const path = std::getenv(name);
    void* const library = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (library == nullptr) continue;
    const NcclSink* const sink = sink_of(library);
    dlclose(library);  // Only undoes the reference that dlopen added.
    if (sink != nullptr) return sink;
  }
  return nullptr;
}

constinit std::atomic<const NcclSink*> g_sink{nullptr};

/// Before 2.26 NCCL numbers its callbacks' reports, too, in which ranks may differ.
constinit std::atomic<bool> g_counts_replays{false};

/// NCCL's description of a communicator, reported once.
struct Communicator {
  std::uint64_t id = 0;
  std::int32_t rank = -1, ranks = -1;
  /// Messages to and from each rank so far; null: not counted.
  std::uint32_t* messages = nullptr;
  std::atomic<bool> has_captured_calls{false};

  /// The number of the next message between this rank and the other, equal on both.
  std::int64_t next_message(std::int32_t peer, bool is_sent) noexcept {
    if (messages == nullptr || peer < 0 || peer >= ranks) return -1;
    if (has_captured_calls.load(std::memory_order_relaxed)) return -1;
    const std::size_t at = 2 * static_cast<std::size_t>(peer) + (is_sent ? 1 : 0);
    return std::atomic_ref(messages[at]).fetch_add(1, std::memory_order_relaxed);
  }
};

bool is_word(const char* text, const char* word) noexcept {
  if (text == nullptr) return false;
  while (*text != '\0' && *text == *word) ++text, ++word;
  return *text == *word;
}

bool has_root(const char* function) noexcept {
  return is_word(function, "Broadcast") || is_word(function, "Reduce");
}

// Version 1 has numbers instead of words: those of NCCL 2.23.
template <std::size_t kCount>
const char* word_of(const char* const (&words)[kCount], std::uint8_t number) noexcept {
  return number < kCount ? words[number] : nullptr;
}
constexpr const char* kFunctions[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                      "AllReduce", "SendRecv", "Send",      "Recv"};
constexpr const char* kTypes[] = {"ncclInt8",    "ncclUint8",   "ncclInt32",   "ncclUint32",
                                  "ncclInt64",   "ncclUint64",  "ncclFloat16", "ncclFloat32",
                                  "ncclFloat64", "ncclBfloat16"};
constexpr const char* kAlgorithms[] = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr const char* kProtocols[] = {"LL", "LL128", "SIMPLE"};

const char* function_of(const char* word) noexcept { return word; }
const char* function_of(std::uint8_t number) noexcept { return word_of(kFunctions, number); }
const char* type_of(const char* word) noexcept { return word; }
const char* type_of(std::uint8_t number) noexcept { return word_of(kTypes, number); }
const char* algorithm_of(const char* word) noexcept { return word; }
const char* algorithm_of(std::uint8_t number) noexcept { return word_of(kAlgorithms, number); }
const char* protocol_of(const char* word) noexcept { return word; }
const char* protocol_of(std::uint8_t number) noexcept { return word_of(kProtocols, number); }

/// Up to version 3 each description names the communicator, and init() does not.
template <typename Call>
constexpr bool kStatesCommunicator = requires(const Call& call) {
  call.communicator;
};

template <typename Call>
NcclCall call_in(const Communicator* communicator, int rank, const Call& said) noexcept {
  NcclCall call{};
  call.rank = rank;
  call.ranks = call.peer = call.root = call.channels = -1;
  call.sequence = -1;
  call.count = said.count;
  call.function = function_of(said.function);
  call.type = type_of(said.type);
  if constexpr (kStatesCommunicator<Call>) {
    call.communicator = said.communicator;
  } else if (communicator != nullptr) {
    call.communicator = communicator->id;
    call.rank = communicator->rank;
    call.ranks = communicator->ranks;
  }
  return call;
}

/// Calls are left out if init() could not allocate their communicator.
template <typename Call>
bool is_known(const Communicator* communicator, const Call& /*said*/) noexcept {
  return kStatesCommunicator<Call> || communicator != nullptr;
}

void take_collective(const Communicator* communicator, const auto& description) noexcept {
  const auto& said = description.collective;
  if (!is_known(communicator, said)) return;
  NcclCall call = call_in(communicator, description.rank, said);
  if (!g_counts_replays.load(std::memory_order_relaxed))
    call.sequence = static_cast<std::int64_t>(said.sequence);
  call.algorithm = algorithm_of(said.algorithm);
  call.protocol = protocol_of(said.protocol);
  call.channels = said.channels;
  if (has_root(call.function)) call.root = said.root;
  const NcclTaken taken = g_sink.load(std::memory_order_relaxed)->take(call);
  constexpr bool kNumbersReplays = requires { said.traffic_bytes; };  // versions 1 and 2
  if (kNumbersReplays && taken == NcclTaken::kUnknownLaunch)
    g_counts_replays.store(true, std::memory_order_relaxed);
}

void take_transfer(Communicator* communicator, const auto& description) noexcept {
  const auto& said = description.transfer;
  if (!is_known(communicator, said)) return;
  NcclCall call = call_in(communicator, description.rank, said);
  call.peer = said.peer;
  if (communicator != nullptr)
    call.sequence = communicator->next_message(said.peer, is_word(call.function, "Send"));
  if constexpr (requires { said.channels; }) call.channels = said.channels;
  g_sink.load(std::memory_order_relaxed)->take(call);
}

/// NCCL reports the contents of a group only if the group has an event.
constinit char g_group = 0;

template <typename Description>
Status start(void* context, void** event, Description* description) noexcept {
  if (event == nullptr || description == nullptr) return 0;
  *event = nullptr;
  auto* const communicator = static_cast<Communicator*>(context);
  switch (description->type) {
    case kGroupEvent:
      *event = &g_group;
      break;
    case kCollectiveEvent:
      take_collective(communicator, *description);
      break;
    case kTransferEvent:
      take_transfer(communicator, *description);
      break;
    default:
      break;
  }
  if constexpr (requires { description->collective_api; }) {
    const bool is_captured =
        (description->type == kCollectiveApiEvent && description->collective_api.is_captured) ||
        (description->type == kTransferApiEvent && description->transfer_api.is_captured);
    if (is_captured && communicator != nullptr)
      communicator->has_captured_calls.store(true, std::memory_order_relaxed);
  }
  return 0;
}

Status stop(void* /*event*/) noexcept { return 0; }
Status update(void* /*event*/, int /*state*/, void* /*arguments*/) noexcept { return 0; }

Status finalize(void* context) noexcept {
  auto* const communicator = static_cast<Communicator*>(context);
  if (communicator == nullptr) return 0;
  std::free(communicator->messages);
  delete communicator;
  return 0;
}

/// False: there is no sink to report to.
bool begin(void** context, int* wanted, std::uint32_t version) noexcept {
  if (context != nullptr) *context = nullptr;
  if (wanted != nullptr) *wanted = 0;
  if (context == nullptr || wanted == nullptr) return false;
  const NcclSink* sink = g_sink.load(std::memory_order_acquire);
  if (sink == nullptr) sink = find_sink();
  if (sink == nullptr) return false;
  g_sink.store(sink, std::memory_order_release);
  sink->in_use(version);
  *wanted = kWanted;
  return true;
}

template <std::uint32_t kVersion>
Status init(void** context, int* wanted) noexcept {
  begin(context, wanted, kVersion);
  return 0;
}

Communicator* make_communicator(std::uint64_t id, int ranks, int rank) noexcept {
  auto* const made = new (std::nothrow) Communicator;
  if (made == nullptr) return nullptr;
  made->id = id;
  made->rank = rank;
  made->ranks = ranks;
  return made;
}

Status init_v4(void** context, int* wanted, const char* /*name*/, std::uint64_t id, int /*nodes*/,
               int ranks, int rank, Logger /*log*/) noexcept {
  if (!begin(context, wanted, 4)) return 0;
  *context = make_communicator(id, ranks, rank);
  if (*context == nullptr) *wanted = 0;
  return 0;
}

/// Only this version identifies captured calls, so that the others can be counted.
Status init_v5(void** context, std::uint64_t id, int* wanted, const char* /*name*/, int /*nodes*/,
               int ranks, int rank, Logger /*log*/) noexcept {
  if (!begin(context, wanted, 5)) return 0;
  Communicator* const made = make_communicator(id, ranks, rank);
  *context = made;
  if (made == nullptr) {
    *wanted = 0;
  } else if (ranks > 0) {
    made->messages = static_cast<std::uint32_t*>(
        std::calloc(2 * static_cast<std::size_t>(ranks), sizeof *made->messages));
  }
  return 0;
}

}  // namespace
}  // namespace prof::collectors::nccl

// NOLINTBEGIN(readability-identifier-naming): NCCL looks for these names
#define PROF_NCCL_EXPORT extern "C" __attribute__((visibility("default"))) const
namespace nccl = prof::collectors::nccl;

PROF_NCCL_EXPORT nccl::Table<nccl::Init, nccl::v1::Description> ncclProfiler_v1 = {
    nccl::kName, nccl::init<1>, nccl::start<nccl::v1::Description>,
    nccl::stop,  nccl::update,  nccl::finalize};
PROF_NCCL_EXPORT nccl::Table<nccl::Init, nccl::v2::Description> ncclProfiler_v2 = {
    nccl::kName, nccl::init<2>, nccl::start<nccl::v2::Description>,
    nccl::stop,  nccl::update,  nccl::finalize};
PROF_NCCL_EXPORT nccl::Table<nccl::Init, nccl::v3::Description> ncclProfiler_v3 = {
    nccl::kName, nccl::init<3>, nccl::start<nccl::v3::Description>,
    nccl::stop,  nccl::update,  nccl::finalize};
PROF_NCCL_EXPORT nccl::Table<nccl::InitV4, nccl::v4::Description> ncclProfiler_v4 = {
    nccl::kName, nccl::init_v4, nccl::start<nccl::v4::Description>,
    nccl::stop,  nccl::update,  nccl::finalize};
PROF_NCCL_EXPORT nccl::Table<nccl::InitV5, nccl::v5::Description> ncclProfiler_v5 = {
    nccl::kName, nccl::init_v5, nccl::start<nccl::v5::Description>,
    nccl::stop,  nccl::update,  nccl::finalize};
// NOLINTEND(readability-identifier-naming)
