// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The script runner, see runner.hpp.
#include "runner.hpp"

#include <cstdio>
#include <cstdlib>

Runner::Runner() {
  add_cuda_commands(commands_);
  add_graph_commands(commands_);
  add_nccl_commands(commands_);
  add_nvtx_commands(commands_);
  add_process_commands(commands_);
  add_descriptor_commands(commands_);
  add_rights_commands(commands_);
  add_odd_commands(commands_);
  add_odd_signal_commands(commands_);
  add_os_commands(commands_);
  add_tool_commands(commands_);
  add_torch_commands(commands_);
  add_machine_commands(commands_);
  add_prof_commands(commands_);
}

void Runner::run(const std::vector<Statement>& script) {
  for (const Statement& statement : script) {
    const auto command = commands_.find(statement.words[0]);
    if (command == commands_.end()) {
      std::fprintf(stderr, "script: no command '%s'\n", statement.words[0].c_str());
      std::exit(64);
    }
    command->second(*this, statement);
  }
}

const standin::Driver* Runner::driver() {
  if (tried_) return driver_;
  const std::lock_guard lock(mutex_);
  if (!tried_) {
    driver_ = load_driver();
    tried_ = true;
  }
  return driver_;
}

ScriptGraph& Runner::graph(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return graphs_[name];
}

std::uint64_t count_word(const Statement& statement, std::size_t index, std::uint64_t fallback) {
  if (statement.words.size() <= index) return fallback;
  return std::strtoull(statement.words[index].c_str(), nullptr, 10);
}
