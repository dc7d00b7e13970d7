// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/gradient_rows.hpp"

#include <algorithm>
#include <array>

namespace prof {
namespace {

/// An op that computes gradients launches a few kernels; more are not worth the memory.
constexpr std::size_t kMaxRows = 256;

/// The gradient that the kernel's name indicates among gradients like these.
Part named_gradient(const KernelFacts& kernel, const GradientAttributions& gradients) {
  if (kernel.gradient != Part::kNone) return kernel.gradient;
  return gradients.has_weight_layout ? gradient_of_linear(kernel) : Part::kNone;
}

bool has(const GradientAttributions& gradients, Part part) {
  return part != Part::kNone && gradients.at(part) != nullptr;
}

}  // namespace

Part gradient_of_linear(const KernelFacts& kernel) {
  if (kernel.layout.empty()) return Part::kNone;
  return kernel.layout == "nt" ? Part::kWeight : Part::kData;
}

void GradientRows::add(WorkRole role, std::int64_t weight, const KernelFacts* kernel,
                       const GradientAttributions& gradients) {
  if (rows_.size() >= kMaxRows) {
    is_full_ = true;
  } else if (kernel == nullptr) {
    rows_.push_back({role, weight, Part::kNone, false, true});
  } else {
    const bool reduces = kernel->family == "torch/reduce" || kernel->family == "cudnn/reduce";
    const bool is_sum = reduces && has(gradients, Part::kBias);
    rows_.push_back({role, weight, named_gradient(*kernel, gradients), is_sum,
                     kernel->family.starts_with("torch/")});
  }
}

std::vector<Part> GradientRows::resolve(const GradientAttributions& gradients,
                                        WorkRole payer) const {
  if (is_full_) return {};
  std::vector<Part> parts(rows_.size(), Part::kNone);
  std::vector<std::size_t> unnamed, others;
  std::vector<Part> missing;
  for (const Part part : {Part::kData, Part::kWeight}) {
    if (has(gradients, part)) missing.push_back(part);
  }
  if (gradients.weight_first) std::ranges::reverse(missing);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.is_sum && row.role <= WorkRole::kMain) {
      parts[i] = Part::kBias;
    } else if (row.role == payer && has(gradients, row.named)) {
      parts[i] = row.named;
      std::erase(missing, row.named);
    } else if (row.role == payer) {
      unnamed.push_back(i);
    } else if (row.role == WorkRole::kMain && !row.is_framework) {
      others.push_back(i);
    }
  }
  // A kernel of unknown purpose may be the product that is missing.
  if (unnamed.empty() && !missing.empty() && gradients.is_stated) unnamed = std::move(others);
  if (missing.size() == 1) {
    for (const std::size_t row : unnamed) parts[row] = missing.front();
  } else if (missing.size() == 2 && unnamed.size() == 2 && gradients.in_order) {
    parts[unnamed[0]] = missing[0];
    parts[unnamed[1]] = missing[1];
  } else if (!unnamed.empty()) {
    return {};
  }
  return parts;
}

}  // namespace prof
