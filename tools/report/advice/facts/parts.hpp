// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that several rules share: sums over groups of work, the time that bytes and FLOPs take,
// and words for people. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/advice/facts/step_facts.hpp"

namespace prof::reports {

/// Groups of work, and sums over them.
struct WorkTime {
  double count = 0, gpu_ns = 0, host_ns = 0, flops = 0, bytes = 0;
  std::vector<const WorkGroup*> groups = {};

  void add(const WorkGroup& group);
};

/// A share of a peak that kernels reach: between two bounds, of which `low` is what poor ones do.
struct Efficiency {
  double low = 0, high = 0;
};

/// How much shorter work gets that takes `now_ns` if it then takes `peak_ns` at that efficiency.
/// Never below 0.
Gain less(double now_ns, double peak_ns, Efficiency efficiency);
Gain operator+(Gain one, Gain other);

/// The time that the bytes take at the peak of the memory; 0: not known.
double memory_ns(const StepFacts& facts, double bytes);
/// The time that the FLOPs take at the peak of tensor cores for the type; 0: not known.
double tensor_core_ns(const StepFacts& facts, double flops, DType dtype);

/// The elements of a tensor.
double elements(const Tensor& tensor);
/// The elements of the largest tensor of the op; 0: it states none.
double most_elements(const WorkGroup& group);
bool is_16_bit(DType dtype);
/// The kernel converts between NCHW and NHWC.
bool converts_layout(const WorkGroup& group);
/// Losses keep their precision, and few fused kernels take their elements in such ways.
bool is_loss(const WorkGroup& group);

/// Times on the way from launch to launch are stated without the profiler's part.
bool is_shorter_unprofiled(const StepFacts& facts);

/// "38.1": milliseconds.
std::string in_ms(double time_ns);
/// "38.1 ms in 240 kernels, 2.1 ms between them"; of a step that the host bounds also "; 50 ms of
/// the host".
std::string time_in(const StepFacts& facts, const WorkTime& time, std::string_view one,
                    std::string_view many);
/// Advice with the action `what`, the evidence seen of the work, and where it is.
Advice advice_about(const StepFacts& facts, const WorkTime& found, std::string what,
                    std::string_view one, std::string_view many);
/// "transformer.h.*.attn", "features.*, classifier and 3 others": at most two different ones.
std::string list_of(const std::vector<std::string>& names);
/// The layers, with '*' for their numbers, or just as they are.
std::string layers_text(const std::vector<const WorkGroup*>& groups);
std::string exact_layers_text(const std::vector<const WorkGroup*>& groups);
/// Advice about idle time of a cause: what to do, and what the host does meanwhile, which gains
/// that share of it. None without it.
std::vector<Advice> idle_advice(const StepFacts& facts, IdleCause cause, std::string_view what,
                                std::string_view meanwhile, Efficiency share = {0.6, 1.0});
/// "kernels --where \"op = 'softmax'\"", quoted for a shell.
std::string kernels_where(std::string_view condition);
/// "(layer GLOB 'h.*.attn') AND op IN ('matmul', 'softmax')": the groups' layers and ops.
std::string layers_and_ops(const std::vector<const WorkGroup*>& groups);
/// "op_inner IN ('aten::mul')"
std::string inner_ops(const std::vector<const WorkGroup*>& groups);

}  // namespace prof::reports
