// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cufft/plan.hpp"

#include <atomic>
#include <memory>

namespace prof::collectors {
namespace {

/// Handles are small numbers, counted from 1.
constexpr int kMaxHandles = 1 << 14;
constinit std::array<std::atomic<const FftPlan*>, kMaxHandles> g_plans{};

std::atomic<const FftPlan*>* place_of(int handle) {
  return handle >= 0 && handle < kMaxHandles ? &g_plans[static_cast<std::size_t>(handle)] : nullptr;
}

const char* op_of(const FftPlan& plan) {
  if (!is_complex(plan.input)) return "cufft::r2c";
  return is_complex(plan.output) ? "cufft::c2c" : "cufft::c2r";
}

/// Argument: CUFFT_FORWARD or CUFFT_INVERSE.
const char* direction_word(int direction) {
  return direction == -1 ? "forward" : direction == 1 ? "inverse" : "unknown";
}

void write_side(CallFacts& facts, const FftPlan& plan, DataType type) {
  std::array<std::int64_t, FftPlan::kMaxRank + 1> sizes{plan.batch};
  std::copy_n(plan.sizes.begin(), plan.rank, sizes.begin() + 1);
  // In a transform of reals, the other half is the conjugate of this one.
  const bool is_half = is_complex(type) && is_complex(plan.input) != is_complex(plan.output);
  if (is_half) sizes[plan.rank] = sizes[plan.rank] / 2 + 1;
  facts.tensor(type, {sizes.data(), plan.rank + 1U});
}

}  // namespace

void remember_plan(int handle, const FftPlan& plan) {
  auto* const place = place_of(handle);
  if (place == nullptr) return;
  const std::unique_ptr<const FftPlan> before(
      place->exchange(new FftPlan(plan), std::memory_order_acq_rel));
}

void forget_plan(int handle) {
  auto* const place = place_of(handle);
  if (place == nullptr) return;
  const std::unique_ptr<const FftPlan> before(place->exchange(nullptr, std::memory_order_acq_rel));
}

/// Numbers are those of cufft.h.
FftTypes types_of_transform(int cufft_type) {
  switch (cufft_type) {
    case 0x2a:
      return {DataType::kR32F, DataType::kC32F};
    case 0x2c:
      return {DataType::kC32F, DataType::kR32F};
    case 0x6a:
      return {DataType::kR64F, DataType::kC64F};
    case 0x6c:
      return {DataType::kC64F, DataType::kR64F};
    case 0x69:
      return {DataType::kC64F, DataType::kC64F};
    default:
      return {DataType::kC32F, DataType::kC32F};
  }
}

void write_transform(CallFacts& facts, int handle, const char* op, int direction) {
  const auto* const place = place_of(handle);
  const FftPlan* const plan = place == nullptr ? nullptr : place->load(std::memory_order_acquire);
  facts.op(plan != nullptr ? op_of(*plan) : op);
  const bool is_real = plan != nullptr && is_complex(plan->input) != is_complex(plan->output);
  if (is_real) direction = is_complex(plan->input) ? 1 : -1;
  facts.fact("direction", direction_word(direction));
  if (plan == nullptr) return;
  facts.fact("rank", std::int64_t{plan->rank});
  if (is_real) facts.fact("last_dim_size", plan->sizes[plan->rank - 1]);
  write_side(facts, *plan, plan->input);
  write_side(facts, *plan, plan->output);
}

}  // namespace prof::collectors
