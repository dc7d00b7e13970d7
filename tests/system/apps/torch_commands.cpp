// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that run ops of the stand-in torch. What an op has as arguments is a word each:
// 4x16 a tensor (f32), 4x16:i64 of another type, 4x16:f32:1x4 with strides; :subclass, :undefined,
// :sparse; i7 d0.5 b1 n (none) s (a string); [4x2,4x2] [i1,i2] [] lists.
// clang-format off
//   torch                       loads torch and libprof_torch.so, which reads five known ops; they are printed
//                               again: reads them anew
//   torch_switch off|on|names   switches the observer
//   op NAME SEQ [ARGS] { ... }  an op; SEQ -: none; +: one more than the last +; @N: the last + less N
//   autograd NAME SEQ THREAD [ARGS] { ... }   a node of its graph; THREAD: torch's number of the forward thread
//   region NAME { ... }         a range of the program's own, through torch
//   op_left NAME                an op that ends after those around it, on another thread
//   op_rate N                   prints ns an op: bare, with callbacks, names, read, recorded
//   async_op NAME { ... }       an op whose end comes when something has happened
// clang-format on
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "collectors/torch/observer_mode.hpp"
#include "libprof/control/collector_api.hpp"
#include "runner.hpp"
#include "torch.hpp"

namespace {

namespace torch = standin::torch;
using Mode = prof::collectors::ObserverMode;

const torch::Api* g_torch = nullptr;
void (*g_switch)(int) = nullptr;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "script: %s\n", why.c_str());
  std::exit(64);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> found;
  for (const std::string& part : split(text, 'x')) found.push_back(std::stoll(part));
  return found;
}

torch::Value tensor(const std::string& word) {
  torch::Kind kind = torch::Kind::kPlain;
  std::int32_t dtype = torch::kFloat32;
  const std::vector<std::string> parts = split(word, ':');
  std::vector<std::int64_t> sizes = numbers(parts.at(0)), strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * sizes[i - 1];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part == "subclass")
      kind = torch::Kind::kSubclass;
    else if (part == "undefined")
      kind = torch::Kind::kUndefined;
    else if (part == "sparse")
      kind = torch::Kind::kSparse;
    else if (part == "meta")
      kind = torch::Kind::kMeta;
    else if (part == "i64")
      dtype = torch::kInt64;
    else if (part == "f64")
      dtype = torch::kFloat64;
    else if (part == "odd")
      dtype = 99;
    else if (part != "f32")
      strides = numbers(part);
  }
  return g_torch->tensor(kind, dtype, std::move(sizes), std::move(strides));
}

torch::Value value(const std::string& word) {
  switch (word.at(0)) {
    case 'i':
      return torch::integer(std::stoll(word.substr(1)));
    case 'd':
      return torch::real(std::stod(word.substr(1)));
    case 'b':
      return torch::boolean(word == "b1");
    case 'n':
      return torch::none();
    case 's':
      return g_torch->string();
    case '[': {
      std::vector<torch::Value> elements;
      for (const std::string& part : split(word.substr(1, word.size() - 2), ','))
        elements.push_back(value(part));
      return g_torch->list(std::move(elements));
    }
    default:
      return tensor(word);
  }
}

std::int64_t sequence(const std::string& word) {
  static std::atomic<std::int64_t> last{0};
  if (word == "-") return -1;
  if (word == "+") return ++last;
  return word.at(0) == '@' ? last - std::stoll(word.substr(1)) : std::stoll(word);
}

torch::Op op_of(const Statement& statement, std::size_t first_argument) {
  torch::Op op;
  op.name = statement.words.at(1).c_str();
  if (statement.words.size() > 2) op.sequence = sequence(statement.words[2]);
  for (std::size_t i = first_argument; i < statement.words.size(); ++i)
    op.inputs.push_back(value(statement.words[i]));
  return op;
}

void run_op(Runner& runner, const torch::Op& op, const Statement& statement) {
  if (g_torch == nullptr) fail("torch is not loaded");
  void* const function = g_torch->begin(op);
  runner.run(statement.block);
  g_torch->end(function);
}

void* load(const char* name) {
  void* const library = dlopen(name, RTLD_NOW);
  if (library == nullptr) fail(dlerror());
  return library;
}

/// What prof_torch's observer.py runs.
void run_known_ops(Runner& runner) {
  const auto run = [&](const char* name, std::int64_t sequence, std::vector<torch::Value> inputs) {
    torch::Op op;
    op.name = name;
    op.sequence = sequence;
    op.inputs = std::move(inputs);
    run_op(runner, op, {});
  };
  run("aten::sum", 4, {tensor("3x5:i64:1x3"), value("[i0,i1]"), value("b1"), value("n")});
  run("aten::add", 4, {tensor("3x5"), tensor("5"), value("i7")});
  run("aten::add", 5, {tensor("3x5"), tensor("5"), value("i7")});
}

void load_torch(Runner& runner, const Statement&) {
  void* const library = load("libtorch_cpu.so");
  load("libc10.so");
  g_torch = reinterpret_cast<const torch::Api* (*)()>(dlsym(library, torch::kApi))();
  const auto collector =
      reinterpret_cast<ProfCollectorApiGetter*>(dlsym(RTLD_DEFAULT, "prof_collector_api_v1"));
  if (collector == nullptr) return;  // Not captured.
  const void* const sink = collector()->op_sink;
  void* const observer = load("libprof_torch.so");
  const auto begin = reinterpret_cast<const char* (*)(const void*, int)>(
      dlsym(observer, "prof_torch_begin_probe"));
  const auto end = reinterpret_cast<const char* (*)()>(dlsym(observer, "prof_torch_end_probe"));
  if (const char* const why = begin(sink, 0)) fail(why);
  run_known_ops(runner);
  std::fputs(end(), stdout);
  std::fflush(stdout);
  g_switch = reinterpret_cast<void (*)(int)>(dlsym(observer, "prof_torch_switch"));
}

void switch_observer(Mode mode) {
  if (g_switch != nullptr) g_switch(static_cast<int>(mode));
}

void switch_torch(Runner&, const Statement& statement) {
  static const std::map<std::string, Mode> modes = {
      {"off", Mode::kOff}, {"on", Mode::kOn}, {"names", Mode::kNames}};
  switch_observer(modes.at(statement.words.at(1)));
}

void run_plain_op(Runner& runner, const Statement& statement) {
  run_op(runner, op_of(statement, 3), statement);
}

void run_node(Runner& runner, const Statement& statement) {
  torch::Op op = op_of(statement, 4);
  op.scope = 1;
  op.forward_thread = std::stoull(statement.words.at(3));
  run_op(runner, op, statement);
}

void run_region(Runner& runner, const Statement& statement) {
  torch::Op op = op_of(statement, 2);
  op.scope = 7;
  run_op(runner, op, statement);
}

void run_async_op(Runner& runner, const Statement& statement) {
  torch::Op op = op_of(statement, 2);
  op.is_async = true;
  run_op(runner, op, statement);
}

void print_rates(Runner&, const Statement& statement) {
  torch::Op op;
  op.name = "aten::addmm";
  op.sequence = 7;
  op.inputs = {tensor("1024"), tensor("512x1024"), tensor("1024x1024"), value("i1"), value("i1")};
  const std::uint64_t count = count_word(statement, 1, 1);
  for (const Mode mode : {Mode::kOff, Mode::kEmpty, Mode::kNames, Mode::kReading, Mode::kOn}) {
    switch_observer(mode);
    const auto before = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < count; ++i) g_torch->end(g_torch->begin(op));
    const std::chrono::duration<double, std::nano> taken =
        std::chrono::steady_clock::now() - before;
    std::printf("%d %.1f\n", static_cast<int>(mode), taken.count() / static_cast<double>(count));
    std::fflush(stdout);
  }
}

/// Begins here; ended at exit by nobody.
void leave_op(Runner&, const Statement& statement) { g_torch->begin(op_of(statement, 2)); }

}  // namespace

void add_torch_commands(CommandTable& table) {
  table["torch"] = load_torch;
  table["torch_switch"] = switch_torch;
  table["op"] = run_plain_op;
  table["autograd"] = run_node;
  table["region"] = run_region;
  table["op_left"] = leave_op;
  table["op_rate"] = print_rates;
  table["async_op"] = run_async_op;
}
