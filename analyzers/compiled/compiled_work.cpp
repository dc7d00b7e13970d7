// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/compiled_work.hpp"

namespace prof {
namespace {

/// Calls are identified by their ranges. Replays of a program's own CUDA graph have none: what is
/// left is the replay and the call under which the graph was made.
std::uint64_t call_of(const StackMeaning& launch, const StackMeaning* replayed,
                      std::uint64_t replay) {
  if (launch.graph_call != 0) return launch.graph_call;
  if (replayed == nullptr || replayed->graph_call == 0) return 0;
  return replay ^ (replayed->graph_call << 20);
}

}  // namespace

const StackMeaning* CompiledWork::enter(std::string_view kernel, const StackMeaning& launch,
                                        const StackMeaning* replayed) {
  const std::uint64_t call = call_of(launch, replayed, replays_.first_id());
  if (call == 0) return nullptr;
  const StackMeaning& stack = replayed != nullptr ? *replayed : launch;
  const Facts& facts = stack.attributed->facts;
  const StackMeaning& caller = launch.graph_call != 0 ? launch : stack;
  const CompiledGraph* const graph = caller.attributed->facts.compiled.graph.get();
  if (graph == nullptr || facts.compiled.graph == nullptr) return nullptr;
  const OpRef& op = facts.op.reported;
  const bool is_of_code = op == facts.compiled.around;
  const NumberedSite* const found = graphs_.site_of({.call = call,
                                                     .graph = *graph,
                                                     .kernel = kernel,
                                                     .op = is_of_code ? nullptr : op.get(),
                                                     .op_id = is_of_code ? 0 : stack.op_id});
  if (found == nullptr) return nullptr;
  meaning_ = stack;
  meaning_.attributed = &stacks_.at_site(*stack.attributed, found->number, found->site);
  if (!is_of_code) return &meaning_;
  // Each kernel of the code is an op of its own.
  meaning_.op_id = meaning_.call_id = replays_.fresh_id();
  meaning_.own(meaning_.op_id, stack.around_owner, stack.owner_end_ns);
  meaning_.nested = false;
  meaning_.seq = {};
  return &meaning_;
}

}  // namespace prof
