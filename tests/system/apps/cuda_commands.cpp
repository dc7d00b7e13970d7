// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that make CUDA work. A door is the name of the runtime's or driver's function.
// clang-format off
//   launch NAME [COUNT [DOOR]]            launches of one kernel
//   launches COUNT NAMES                  COUNT launches of NAMES different kernels in turn
//   progress NAME COUNT                   COUNT launches, one in some 70 us, telling every 1000th on stdout
//   refuse NAME [COUNT]                   launches that CUDA refuses
//   copy htod|dtoh|dtod [BYTES [COUNT]]   copy_async ...        set [BYTES [COUNT]]
//   allocate ADDRESS BYTES, release ...   device memory; allocate_async, release_async: of a pool
//   sync [stream [N] | event | wait_event [N]]: waits, or lets the stream wait
//   malloc [COUNT]    event [COUNT]    getter [COUNT]   calls without GPU work
//   profiler_on    profiler_off           cudaProfilerStart(), cudaProfilerStop()
//   takeover                              registers CUPTI buffer functions, as the program's own profiler would
// clang-format on
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "graph_commands.hpp"
#include "runner.hpp"

namespace {

constexpr const char* kDoorNames[] = {"cudaLaunchKernel",
                                      "__cudaLaunchKernel",
                                      "cudaLaunchKernel_ptsz",
                                      "__cudaLaunchKernel_ptsz",
                                      "cudaLaunchKernelExC",
                                      "cudaLaunchKernelExC_ptsz",
                                      "cudaLaunchCooperativeKernel",
                                      "cuLaunchKernel",
                                      "cuLaunchKernel_ptsz",
                                      "cuLaunchKernelEx",
                                      "cuLaunchKernelEx_ptsz",
                                      "cuLaunchCooperativeKernel"};
static_assert(std::size(kDoorNames) == static_cast<std::size_t>(standin::Door::kCount));

standin::Door door_of(const Statement& statement, std::size_t index) {
  if (statement.words.size() <= index) return standin::Door::kRuntime;
  for (std::size_t i = 0; i < std::size(kDoorNames); ++i) {
    if (statement.words[index] == kDoorNames[i]) return static_cast<standin::Door>(i);
  }
  std::fprintf(stderr, "script: no door '%s'\n", statement.words[index].c_str());
  std::exit(64);
}

void repeat(Runner& runner, std::uint64_t count,
            int (*call)(const standin::Driver&, const Statement&), const Statement& statement,
            const std::string& group, const std::string& name) {
  const standin::Driver* driver = runner.driver();
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; driver != nullptr && i < count; ++i)
    done += call(*driver, statement) == 0 ? 1U : 0U;
  if (done < count) runner.counts.add("failed", group, count - done);
  if (done == 0) return;
  if (ScriptGraph* capturing = captured_graph()) {
    capturing->nodes.insert(capturing->nodes.end(), done, {group, name});
  } else {
    runner.counts.add(group, name, done);
  }
}

void launch(Runner& runner, const Statement& statement) {
  const std::string& name = statement.words.at(1);
  const standin::Door door = door_of(statement, 3);
  const standin::Driver* driver = runner.driver();
  const std::uint64_t count = count_word(statement, 2, 1);
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; driver != nullptr && i < count; ++i) {
    done += driver->launch(door, name.c_str(), kGrid, kBlock, 7) == 0 ? 1U : 0U;
  }
  if (done < count) runner.counts.add("failed", "launch", count - done);
  if (done == 0) return;
  if (ScriptGraph* capturing = captured_graph()) {
    capturing->nodes.insert(capturing->nodes.end(), done, {"kernels", name});
    return;
  }
  runner.counts.add("kernels", name, done);
  runner.counts.add("doors", kDoorNames[static_cast<std::size_t>(door)], done);
}

void launches(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  const std::uint64_t count = count_word(statement, 1, 1), names = count_word(statement, 2, 1);
  std::vector<std::string> kernels;
  for (std::uint64_t i = 0; i < names; ++i) kernels.push_back("kernel_" + std::to_string(i));
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; driver != nullptr && i < count; ++i) {
    done +=
        driver->launch(standin::Door::kRuntime13, kernels[i % names].c_str(), kGrid, kBlock, 7) == 0
            ? 1U
            : 0U;
  }
  runner.counts.add("kernels", "all", done);
}

void progress(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  const std::uint64_t count = count_word(statement, 2, 1);
  const timespec pause{0, 20'000};
  for (std::uint64_t i = 1; driver != nullptr && i <= count; ++i) {
    driver->launch(standin::Door::kRuntime, statement.words.at(1).c_str(), kGrid, kBlock, 7);
    nanosleep(&pause, nullptr);
    if (i % 1000 == 0) {
      std::printf("%llu\n", static_cast<unsigned long long>(i));
      std::fflush(stdout);
    }
  }
}

void refuse(Runner& runner, const Statement& statement) {
  const standin::Driver* driver = runner.driver();
  for (std::uint64_t i = 0; driver != nullptr && i < count_word(statement, 2, 1); ++i) {
    driver->launch_refused(standin::Door::kRuntime, statement.words.at(1).c_str());
  }
}

/// What torch.profiler does when it starts: CUPTI has one pair of buffer functions, the last one
/// given.
void takeover(Runner&, const Statement&) {
  using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
  using Complete = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW);
  if (cupti == nullptr) std::exit(71);
  auto* take =
      reinterpret_cast<int (*)(Request, Complete)>(dlsym(cupti, "cuptiActivityRegisterCallbacks"));
  take(
      [](std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
        *bytes = 1U << 16U;
        *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, *bytes));
        *max_records = 0;
      },
      [](void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {});
}

std::uint8_t copy_kind(const Statement& statement) {
  const std::string& word = statement.words.at(1);
  return word == "htod" ? 1 : word == "dtoh" ? 2 : 8;
}

template <bool kAsync>
void copy(Runner& runner, const Statement& statement) {
  repeat(
      runner, count_word(statement, 3, 1),
      [](const standin::Driver& driver, const Statement& words) {
        return driver.copy(copy_kind(words), count_word(words, 2, 4096), kAsync);
      },
      statement, "copies", statement.words.at(1));
}

void set(Runner& runner, const Statement& statement) {
  repeat(
      runner, count_word(statement, 2, 1),
      [](const standin::Driver& driver, const Statement& words) {
        return driver.set(count_word(words, 1, 4096), false);
      },
      statement, "sets", "all");
}

/// `change`: of standin::Driver.
template <auto change, bool kAsync>
void memory(Runner& runner, const Statement& statement) {
  repeat(
      runner, 1,
      [](const standin::Driver& driver, const Statement& words) {
        return (driver.*change)(count_word(words, 1, 0), count_word(words, 2, 0), kAsync);
      },
      statement, "memory", statement.words[0]);
}

void sync(Runner& runner, const Statement& statement) {
  repeat(
      runner, 1,
      [](const standin::Driver& driver, const Statement& words) {
        const std::string what = words.words.size() > 1 ? words.words[1] : "";
        return driver.synchronize(what.c_str(),
                                  static_cast<std::uint32_t>(count_word(words, 2, 0)));
      },
      statement, "calls", "sync");
}

void plain_call(Runner& runner, const Statement& statement) {
  repeat(
      runner, count_word(statement, 1, 1),
      [](const standin::Driver& driver, const Statement& words) {
        return driver.call(words.words[0].c_str());
      },
      statement, "calls", statement.words[0]);
}

}  // namespace

void add_cuda_commands(CommandTable& table) {
  table["launch"] = launch;
  table["launches"] = launches;
  table["progress"] = progress;
  table["refuse"] = refuse;
  table["takeover"] = takeover;
  table["copy"] = copy<false>;
  table["copy_async"] = copy<true>;
  table["set"] = set;
  table["allocate"] = memory<&standin::Driver::allocate, false>;
  table["release"] = memory<&standin::Driver::release, false>;
  table["allocate_async"] = memory<&standin::Driver::allocate, true>;
  table["release_async"] = memory<&standin::Driver::release, true>;
  table["sync"] = sync;
  table["malloc"] = plain_call;
  table["event"] = plain_call;
  table["getter"] = plain_call;
  table["profiler_on"] = plain_call;
  table["profiler_off"] = plain_call;
}
