// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that do what NCCL does with a profiler plugin: for tests of --trace nccl.
// clang-format off
//   nccl VERSION ID RANK RANKS   a communicator, as NCCL of that interface version makes it, with the plugin
//                       that NCCL_PROFILER_PLUGIN names; prints what the plugin wants, in hex, or "none"
//   nccl_call FUNCTION COUNT   a collective; sends and receives: nccl_call Send COUNT PEER
//   nccl_group FUNCTION...   several in one launch; Send:PEER and Recv:PEER too
//   nccl_replay FUNCTION   reported by a callback: on a thread that launches nothing
//   nccl_captured FUNCTION   the call is captured into a CUDA graph, which the plugin is told (version 5)
//   nccl_end            the communicator's end; NCCL closes the plugin
// clang-format on
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "collectors/nccl/profiler_interface.hpp"
#include "runner.hpp"

namespace fake_nccl {
namespace {

namespace nccl = prof::collectors::nccl;

constexpr std::size_t kDefaultCount = 1024;
constexpr const char *kType = "ncclFloat32", *kAlgorithm = "RING", *kProtocol = "SIMPLE";
constexpr const char* kFunctions[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                      "AllReduce", "SendRecv", "Send",      "Recv"};

struct Call {
  std::string function;
  std::size_t count = kDefaultCount;
  int peer = -1;

  [[nodiscard]] bool is_transfer() const { return peer >= 0; }
};

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "script: %s\n", why);
  std::exit(64);
}

/// The word, or before version 2 its number.
template <typename Member>
Member word_or_number(const char* word, std::uint8_t number) {
  if constexpr (std::is_same_v<Member, std::uint8_t>) {
    return number;
  } else {
    return word;
  }
}

std::uint8_t number_of(const std::string& function) {
  std::uint8_t number = 0;
  while (kFunctions[number] != function) ++number;
  return number;
}

/// A communicator of NCCL.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int wanted() const = 0;
  virtual void report(const std::vector<Call>& calls) = 0;
  virtual void capture(const Call& call) = 0;
  virtual void end() = 0;
};

template <typename Table, typename Description>
class VersionedCommunicator final : public Communicator {
 public:
  VersionedCommunicator(const Table& table, std::uint64_t id, int rank, int ranks)
      : table_(table), id_(id), rank_(rank) {
    nccl::Status status = 0;
    if constexpr (std::is_same_v<decltype(table.init), nccl::Init>) {
      status = table.init(&context_, &wanted_);
    } else if constexpr (std::is_same_v<decltype(table.init), nccl::InitV4>) {
      status = table.init(&context_, &wanted_, "name", id, 1, ranks, rank, nullptr);
    } else {
      status = table.init(&context_, id, &wanted_, "name", 1, ranks, rank, nullptr);
    }
    if (status != 0) fail("the plugin refuses a communicator");
  }

  [[nodiscard]] int wanted() const override { return wanted_; }

  /// As NCCL does: without an event for the group nothing of it is reported.
  void report(const std::vector<Call>& calls) override {
    const std::lock_guard lock(mutex_);  // calls of a communicator come one after the other
    void* const group = start(nccl::kGroupEvent, [](Description&) {});
    std::vector<void*> events;
    for (const Call& call : calls) {
      if (group == nullptr) break;
      const auto type = call.is_transfer() ? nccl::kTransferEvent : nccl::kCollectiveEvent;
      if ((static_cast<std::uint64_t>(wanted_) & type) == 0) continue;
      events.push_back(start(type, [&](Description& of) { describe(call, group, of); }));
    }
    for (void* event : events) table_.stop(event);
    if (group != nullptr) table_.stop(group);
  }

  void capture(const Call& call) override {
    if constexpr (requires(Description of) { of.collective_api; }) {
      start(nccl::kCollectiveApiEvent, [&](Description& of) {
        of.collective_api.function = call.function.c_str();
        of.collective_api.is_captured = true;
      });
    }
  }

  void end() override {
    if (context_ != nullptr) table_.finalize(context_);
    context_ = nullptr;
  }

 private:
  template <typename Describe>
  void* start(std::uint64_t type, Describe describe) {
    Description description;
    std::memset(static_cast<void*>(&description), 0, sizeof description);
    description.type = static_cast<decltype(description.type)>(type);
    description.rank = rank_;
    describe(description);
    // NCCL 2.23 leaves what is there.
    void* event = this;
    if (table_.start(context_, &event, &description) != 0) fail("the plugin gives an error");
    if (event == this) fail("the plugin sets no event");
    return event;
  }

  void describe(const Call& call, void* group, Description& of) {
    of.parent = group;
    if (call.is_transfer()) {
      describe_part(call, of.transfer);
      of.transfer.peer = call.peer;
      return;
    }
    describe_part(call, of.collective);
    of.collective.sequence = numbers_[call.function]++;
    of.collective.channels = 16;
    using Word = decltype(of.collective.algorithm);
    of.collective.algorithm = word_or_number<Word>(kAlgorithm, 1);
    of.collective.protocol = word_or_number<Word>(kProtocol, 2);
  }

  template <typename Part>
  void describe_part(const Call& call, Part& of) {
    if constexpr (requires { of.communicator; }) of.communicator = id_;
    of.function =
        word_or_number<decltype(of.function)>(call.function.c_str(), number_of(call.function));
    of.type = word_or_number<decltype(of.type)>(kType, 7);
    of.count = call.count;
  }

  const Table& table_;
  const std::uint64_t id_;
  const int rank_;
  std::mutex mutex_;
  void* context_ = nullptr;
  int wanted_ = 0;
  std::map<std::string, std::uint64_t> numbers_;  // by function, as NCCL counts
};

void* g_plugin = nullptr;
std::unique_ptr<Communicator> g_communicator;

template <typename Description, typename Init>
std::unique_ptr<Communicator> make(const char* symbol, std::uint64_t id, int rank, int ranks) {
  using Table = nccl::Table<Init, Description>;
  const auto* const table = static_cast<const Table*>(dlsym(g_plugin, symbol));
  if (table == nullptr) return nullptr;
  return std::make_unique<VersionedCommunicator<Table, Description>>(*table, id, rank, ranks);
}

std::unique_ptr<Communicator> make(int version, std::uint64_t id, int rank, int ranks) {
  switch (version) {
    case 1:
      return make<nccl::v1::Description, nccl::Init>("ncclProfiler_v1", id, rank, ranks);
    case 2:
      return make<nccl::v2::Description, nccl::Init>("ncclProfiler_v2", id, rank, ranks);
    case 3:
      return make<nccl::v3::Description, nccl::Init>("ncclProfiler_v3", id, rank, ranks);
    case 4:
      return make<nccl::v4::Description, nccl::InitV4>("ncclProfiler_v4", id, rank, ranks);
    case 5:
      return make<nccl::v5::Description, nccl::InitV5>("ncclProfiler_v5", id, rank, ranks);
    default:  // a later NCCL asks for its own first
      return dlsym(g_plugin, ("ncclProfiler_v" + std::to_string(version)).c_str()) == nullptr
                 ? nullptr
                 : (fail("the plugin offers a version that it cannot know"), nullptr);
  }
}

void communicator(Runner&, const Statement& statement) {
  const char* const path = std::getenv("NCCL_PROFILER_PLUGIN");
  if (path != nullptr && g_plugin == nullptr) g_plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (g_plugin != nullptr) {
    g_communicator =
        make(std::stoi(statement.words.at(1)), std::stoull(statement.words.at(2), nullptr, 16),
             std::stoi(statement.words.at(3)), std::stoi(statement.words.at(4)));
  }
  if (g_communicator == nullptr) {
    std::puts("nccl: none");
  } else {
    std::printf("nccl: %x\n", static_cast<unsigned>(g_communicator->wanted()));
  }
  std::fflush(stdout);
}

/// A kernel for all of them; then the plugin is told, on the same thread.
void run(Runner& runner, const std::vector<Call>& calls) {
  runner.run(
      {{{"launch", "ncclDevKernel_" + calls.front().function, "1", "cuLaunchKernelEx"}, {}}});
  if (g_communicator != nullptr) g_communicator->report(calls);
}

void call(Runner& runner, const Statement& statement) {
  Call made{statement.words.at(1), count_word(statement, 2, kDefaultCount)};
  if (statement.words.size() > 3) made.peer = std::stoi(statement.words[3]);
  run(runner, {made});
}

void group(Runner& runner, const Statement& statement) {
  std::vector<Call> calls;
  for (std::size_t i = 1; i < statement.words.size(); ++i) {
    const std::string& word = statement.words[i];
    const std::size_t at = word.find(':');
    calls.push_back({word.substr(0, at)});
    if (at != std::string::npos) calls.back().peer = std::stoi(word.substr(at + 1));
  }
  run(runner, calls);
}

void replay(Runner&, const Statement& statement) {
  std::thread([&] { g_communicator->report({{statement.words.at(1)}}); }).join();
}

void captured(Runner&, const Statement& statement) {
  g_communicator->capture({statement.words.at(1)});
}

void end(Runner&, const Statement&) {
  if (g_communicator != nullptr) g_communicator->end();
  g_communicator.reset();
  if (g_plugin != nullptr) dlclose(g_plugin);
  g_plugin = nullptr;
}

}  // namespace
}  // namespace fake_nccl

void add_nccl_commands(CommandTable& table) {
  table["nccl"] = fake_nccl::communicator;
  table["nccl_call"] = fake_nccl::call;
  table["nccl_group"] = fake_nccl::group;
  table["nccl_replay"] = fake_nccl::replay;
  table["nccl_captured"] = fake_nccl::captured;
  table["nccl_end"] = fake_nccl::end;
}
