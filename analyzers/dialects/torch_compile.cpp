// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/torch_compile.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "libprof/base/glob.hpp"

namespace prof::dialects {
namespace {

/// Patterns of libprof/base/glob.hpp. The comment says where torch 2.0 to 2.11 writes it.
constexpr std::string_view kRanges[] = {
    "TorchDynamo Cache Lookup",         // csrc/dynamo: is there compiled code for this call?
    "Pregraph bytecode",                // _dynamo: what runs before the compiled graph
    "AOTDispatcher Runtime Wrapper *",  // _functorch/_aot_autograd: around the compiled graph
    "* (dynamo_timed)",                 // _dynamo/utils.py: whatever dynamo_timed() times
};

/// Likewise, where compiled code runs.
constexpr std::string_view kCompiledCode[] = {
    "Torch-Compiled Region*",         // _dynamo/convert_frame.py; bare until 2.4
    "## Call CompiledFxGraph *",      // _inductor: the call of a compiled graph
    "inductor_wrapper_call",          // _inductor/codegen, if profiler_mark_wrapper_call is set
    "graph_*_inductor_wrapper_call",  // the same, with the number of the graph
};

/// The phases that dynamo_timed() times. One may have a second range around it, with the bare name
/// (_dynamo/utils.py: ChromiumEventLogger). These are the ones that kernels run in.
constexpr std::string_view kPhases[] = {
    "dynamo",                          // _dynamo
    "entire_frame_compile",            // _dynamo
    "compile_attempt_*",               // _dynamo
    "bytecode_tracing",                // _dynamo
    "backend_compile",                 // _dynamo
    "create_aot_dispatcher_function",  // _functorch
    "aot_collect_metadata",            // _functorch
    "inductor_compile",                // _inductor/compile_fx.py
    "compile_fx.<locals>.*",           // _inductor/compile_fx.py
    "fx_codegen_and_compile",          // _inductor/compile_fx.py
    "_recursive_*_passes",             // _inductor/compile_fx.py
    "pass.*_passes.*",                 // _inductor/fx_passes
    "GraphLowering.*",                 // _inductor/graph.py
    "code_gen",                        // _inductor/graph.py
    "Scheduler.__init__",              // _inductor/scheduler.py
    "Scheduler.fused_nodes",           // _inductor/scheduler.py
    "Scheduler.codegen",               // _inductor/scheduler.py
    "*_template_precompiling",         // _inductor/select_algorithm.py
    "*_template_autotuning",           // _inductor/select_algorithm.py
    "PyCodeCache.*",                   // _inductor/codecache.py
    "async_compile.*",                 // _inductor/async_compile.py
    "CachingAutotuner.*",              // _inductor/runtime/triton_heuristics.py
    "cudagraphify.*",                  // _inductor/cudagraph_trees.py
    "CUDAGraphNode.*",                 // _inductor/cudagraph_trees.py
};

/// AOTAutograd's, from _functorch/_aot_autograd.
constexpr std::string_view kCompiledFunction = "CompiledFunction";

bool is_one_of(std::span<const std::string_view> patterns, std::string_view name) {
  return std::ranges::any_of(patterns,
                             [name](std::string_view pattern) { return matches(name, pattern); });
}

}  // namespace

bool is_compiler_range(std::string_view name) {
  return is_one_of(kRanges, name) || runs_compiled_code(name);
}

bool runs_compiled_code(std::string_view name) { return is_one_of(kCompiledCode, name); }

bool is_compiler_phase(std::string_view name) { return is_one_of(kPhases, name); }

bool is_compiled_function(std::string_view name) { return name == kCompiledFunction; }

}  // namespace prof::dialects
