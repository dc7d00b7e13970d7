// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands about CUDA graphs. A graph is instantiated by its first replay, unless said.
// clang-format off
//   capture GRAPH { ... }          a new graph of what is launched in the block, instantiated
//   node GRAPH NAME                adds a kernel
//   child GRAPH OTHER              adds OTHER as a child graph
//   loop GRAPH RUNS { ... }        adds a conditional node whose body, the block, runs RUNS times
//   replay GRAPH [COUNT]           launches
//   for_kernels GRAPH [upload]     instantiates, so that kernels may launch it
//   device_replay GRAPH            a kernel launches; on the stand-in machine alone
//   update GRAPH OTHER             updates GRAPH's executable by OTHER, if they are alike
//   set_exec GRAPH NODE GRID       sets the grid of a kernel node, by number, in the executable
//   set_node GRAPH NODE GRID       ... in the graph
//   drop GRAPH                     destroys the executable and the graph
// clang-format on
#include "graph_commands.hpp"

#include <string>

#include "runner.hpp"

namespace {

thread_local ScriptGraph* capturing = nullptr;

/// The statement's graph and how to work on it; null without a driver.
struct Subject {
  Subject(Runner& runner, const Statement& statement)
      : driver(runner.driver()), graph(runner.graph(statement.words.at(1))) {}
  const standin::Driver* driver;
  ScriptGraph& graph;
};

void append(ScriptGraph& to, const ScriptGraph& from, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    to.nodes.insert(to.nodes.end(), from.nodes.begin(), from.nodes.end());
  }
}

void capture(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  driver->graphs.begin_capture(nullptr);
  capturing = &graph;
  runner.run(statement.block);
  capturing = nullptr;
  driver->graphs.end_capture(&graph.graph);
  driver->graphs.instantiate(graph.graph, &graph.executable, 0);
}

void node(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  driver->graphs.add_kernel(&graph.graph, statement.words.at(2).c_str(), kGrid, kBlock);
  graph.nodes.emplace_back("kernels", statement.words[2]);
}

void child(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const ScriptGraph& other = runner.graph(statement.words.at(2));
  driver->graphs.add_child(&graph.graph, other.graph);
  append(graph, other, 1);
}

void loop(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const std::uint64_t runs = count_word(statement, 2, 1);
  standin::Graph* inner = nullptr;
  driver->graphs.add_conditional(&graph.graph, static_cast<std::uint32_t>(runs), &inner);
  driver->graphs.begin_capture(inner);
  ScriptGraph body;
  capturing = &body;
  runner.run(statement.block);
  capturing = nullptr;
  driver->graphs.end_capture(&inner);
  append(graph, body, runs);
}

void replay(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  if (graph.executable == nullptr) driver->graphs.instantiate(graph.graph, &graph.executable, 0);
  const std::uint64_t count = count_word(statement, 2, 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (driver->graphs.launch(graph.executable) != 0) return;
  }
  for (const auto& [group, name] : graph.nodes) runner.counts.add(group, name, count);
  runner.counts.add("doors", "cudaGraphLaunch", count);
}

void instantiate_for_kernels(Runner& runner, const Statement& statement) {
  constexpr std::uint64_t kUpload = 2, kDeviceLaunch = 4;  // CUgraphInstantiate_flags
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const bool uploads = statement.words.size() > 2;
  driver->graphs.instantiate(graph.graph, &graph.executable,
                             kDeviceLaunch | (uploads ? kUpload : 0));
}

void device_replay(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  driver->graphs.launch_by_kernel(graph.executable);
}

void update(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const ScriptGraph& other = runner.graph(statement.words.at(2));
  if (driver->graphs.update(graph.executable, other.graph) == 0) graph.nodes = other.nodes;
}

standin::Size3 grid_word(const Statement& statement) {
  return {static_cast<std::uint32_t>(count_word(statement, 3, 1)), 1, 1};
}

void set_exec(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const auto index = static_cast<std::uint32_t>(count_word(statement, 2, 0));
  driver->graphs.set_executable_node(graph.executable, graph.graph, index, grid_word(statement));
}

void set_node(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  const auto index = static_cast<std::uint32_t>(count_word(statement, 2, 0));
  driver->graphs.set_node(graph.graph, index, grid_word(statement));
}

void drop(Runner& runner, const Statement& statement) {
  const auto [driver, graph] = Subject(runner, statement);
  if (driver == nullptr) return;
  if (graph.executable != nullptr) driver->graphs.destroy_executable(graph.executable);
  driver->graphs.destroy(graph.graph);
  graph = {};
}

}  // namespace

ScriptGraph* captured_graph() { return capturing; }

void add_graph_commands(CommandTable& table) {
  table["capture"] = capture;
  table["node"] = node;
  table["child"] = child;
  table["loop"] = loop;
  table["replay"] = replay;
  table["for_kernels"] = instantiate_for_kernels;
  table["device_replay"] = device_replay;
  table["update"] = update;
  table["set_exec"] = set_exec;
  table["set_node"] = set_node;
  table["drop"] = drop;
}
