// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// libprof_torch.so: reports the ops that PyTorch runs to the collector, through one callback of
// at::RecordFunction for all threads. prof_torch loads it after torch, has it verify that it reads
// this PyTorch correctly, and switches it on and off. The callback is registered once, with torch
// boxing arguments and without, since adding and removing callbacks is not thread-safe; at most one
// of the two is enabled, and none while nobody needs it.
//
// Callbacks run on the thread of the op; nothing is allocated and no lock taken except for
// arguments that exceed kRoom, once for each thread.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "collectors/ops/op_sink.hpp"
#include "collectors/torch/observer_mode.hpp"
#include "collectors/torch/op_stack.hpp"
#include "collectors/torch/torch_abi.hpp"

namespace prof::collectors {
namespace {

using torch_abi::Scope;
using torch_abi::Torch;
using Mode = ObserverMode;

/// Most ops need a tenth of this size; optimizers with lists of all parameters need more.
constexpr std::size_t kRoom = 4096;
constexpr std::size_t kLargeRoom = std::size_t{1} << 18;

// Plain memory: this library has no static object with a destructor, as callbacks may come at exit.
constinit std::atomic<Mode> g_mode{Mode::kOff};
constinit const OpSink* g_sink = nullptr;
Torch& g_torch = *new Torch;
/// Torch's handles of the callback, which count from 1.
std::uint64_t g_with_arguments = 0;
std::uint64_t g_without_arguments = 0;

/// The ops of the probing thread, a line of JSON for each.
std::string& g_probed = *new std::string;
constinit thread_local bool t_is_probing = false;
constinit thread_local OpStack t_ops;
constinit thread_local std::byte* t_large_room = nullptr;

void free_large_room(void* room) {
  std::free(room);
  t_large_room = nullptr;  // another destructor of the thread may still run ops
}

/// A thread's own buffer, freed when the thread ends: DataParallel makes new threads for each step.
std::span<std::byte> large_room() {
  static const auto key = [] {
    pthread_key_t made = 0;
    return pthread_key_create(&made, free_large_room) == 0 ? std::optional(made) : std::nullopt;
  }();
  if (t_large_room == nullptr && key) {
    t_large_room = static_cast<std::byte*>(std::malloc(kLargeRoom));
    if (t_large_room != nullptr) pthread_setspecific(*key, t_large_room);
  }
  return {t_large_room, t_large_room == nullptr ? 0 : kLargeRoom};
}

/// The op's arguments, in `room` if they fit.
std::span<const std::byte> arguments_of(const void* function, std::span<std::byte> room) {
  ArgumentWriter small(room);
  if (g_torch.write_inputs(function, small)) return small.bytes();
  ArgumentWriter large(large_room());
  g_torch.write_inputs(function, large);
  return large.bytes();
}

void probe(const void* function) {
  std::byte room[kRoom];
  const std::string_view name = g_torch.functions().name(function);
  g_torch.learn_tags(name, function);
  const bool is_sound = g_torch.has_sound_inputs(function);
  const auto arguments = is_sound ? arguments_of(function, room) : std::span<const std::byte>();
  g_probed += "{\"sequence\":" + std::to_string(g_torch.sequence(function)) +
              ",\"inputs\":" + std::to_string(is_sound ? g_torch.number_of_inputs(function) : 0) +
              ",\"scope\":" + std::to_string(static_cast<int>(g_torch.scope(function))) +
              ",\"signature\":" + signature_of(name, false, arguments) + "}\n";
}

void begin(const void* function, Mode mode) {
  // Its end is reported when its work is done, on any thread.
  if (g_torch.functions().is_async(function)) return;
  if (!t_ops.settle(*g_sink)) return;
  std::byte room[kRoom];
  const Scope scope = g_torch.scope(function);
  OpBegin op{};
  op.name = g_torch.functions().name(function);
  op.sequence = g_torch.sequence(function);
  op.thread = g_torch.functions().current_thread();
  op.is_backward = scope == Scope::kBackward ? 1 : 0;
  if (op.is_backward != 0) op.forward_thread = g_torch.forward_thread(function);
  if (scope != Scope::kUser) {
    // An empty list of arguments has an address, too: only ranges of the program's own have none.
    const auto arguments =
        mode == Mode::kNames ? std::span<const std::byte>(room, 0) : arguments_of(function, room);
    op.arguments = arguments.data();
    op.argument_bytes = static_cast<std::uint32_t>(arguments.size());
  }
  if (mode != Mode::kReading && t_ops.has_room() && g_sink->begin(op)) t_ops.push(function);
}

torch_abi::Context on_start(const void* function) {
  const Mode mode = g_mode.load(std::memory_order_acquire);
  switch (mode) {
    case Mode::kOff:
      if (t_is_probing) probe(function);
      break;
    case Mode::kEmpty:
      break;
    case Mode::kOn:
    case Mode::kNames:
    case Mode::kReading:
      begin(function, mode);
      break;
  }
  return {};
}

void on_end(const void* function, void* /*context*/) {
  if (g_sink != nullptr) t_ops.pop(function, *g_sink);
}

/// Registers the callback, which also enables it.
std::uint64_t register_callback(bool needs_inputs) {
  torch_abi::Callback callback{};
  callback.start = on_start;
  callback.end = on_end;
  callback.sampling_probability = 1;
  for (bool& scope : callback.scopes) scope = true;
  callback.needs_inputs = needs_inputs;
  return g_torch.functions().add_callback(callback);
}

void register_both() {
  g_without_arguments = register_callback(false);
  g_torch.functions().disable_callback(g_without_arguments);
  g_with_arguments = register_callback(true);
}

bool is_registered() { return g_with_arguments != 0; }

/// The callback that a mode needs; 0: none.
std::uint64_t callback_of(Mode mode) {
  switch (mode) {
    case Mode::kOff:
      return 0;
    case Mode::kNames:
      return g_without_arguments;
    default:
      return g_with_arguments;
  }
}

/// Prepares to read torch through `layout` and to report ops to `sink`. "": done; else the reason
/// why not.
std::string prepare(const OpSink* sink, int layout) {
  if (sink == nullptr || sink->struct_size < sizeof(OpSink))
    return "the collector does not accept ops";
  if (layout < 0 || layout >= static_cast<int>(std::size(torch_abi::kLayouts))) {
    return "no such layout";
  }
  if (is_registered()) return {};  // Other threads may be reading the members that follow.
  if (std::string missing = g_torch.load(); !missing.empty()) return missing;
  g_sink = sink;
  g_torch.set_layout(torch_abi::kLayouts[layout]);
  return {};
}

}  // namespace
}  // namespace prof::collectors

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

using namespace prof::collectors;

/// To be called after torch is imported, for the first time while no other thread runs ops; again
/// if no probe has been correct. `layout` is one of torch_abi::kLayouts. Null: done, and the
/// calling thread's ops are being noted; else the reason why not.
PROF_EXPORT const char* prof_torch_begin_probe(const void* sink, int layout) {
  static constinit char why[256] = "";
  if (const std::string missing = prepare(static_cast<const OpSink*>(sink), layout);
      !missing.empty()) {
    std::strncpy(why, missing.c_str(), sizeof why - 1);
    return why;
  }
  g_probed.clear();
  t_is_probing = true;
  if (is_registered()) {
    g_torch.functions().enable_callback(g_with_arguments);
  } else {
    register_both();
  }
  return nullptr;
}

/// A line of JSON for each op that the calling thread has run since the begin; valid until the next
/// probe.
PROF_EXPORT const char* prof_torch_end_probe() {
  g_torch.functions().disable_callback(g_with_arguments);
  t_is_probing = false;
  return g_probed.c_str();
}

/// To be called after a correct probe. `mode` is an ObserverMode; any thread, one at a time. Ops in
/// progress end as they have begun.
PROF_EXPORT void prof_torch_switch(int mode) {
  if (!is_registered() || mode < 0 || mode > static_cast<int>(kLastObserverMode)) return;
  const auto wanted = static_cast<Mode>(mode);
  const std::uint64_t before = callback_of(g_mode.exchange(wanted, std::memory_order_acq_rel));
  const std::uint64_t after = callback_of(wanted);
  if (before == after) return;
  if (before != 0) g_torch.functions().disable_callback(before);
  if (after != 0) g_torch.functions().enable_callback(after);
}
