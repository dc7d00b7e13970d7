// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of events in a Kineto trace, by their categories.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

enum class Category : std::uint8_t {
  kOp,
  kAnnotation,
  kRuntimeCall,
  kDriverCall,
  kPython,
  kKernel,
  kMemcpy,
  kMemset,
  kSync,
  kOverhead,
  kIgnored,
};

struct CategoryWord {
  std::string_view word;
  Category category;
};
/// Categories of events with a duration. The capitalized ones are those until torch 1.9.
inline constexpr std::array kCategories = {
    CategoryWord{"cpu_op", Category::kOp},
    CategoryWord{"Operator", Category::kOp},
    CategoryWord{"user_annotation", Category::kAnnotation},
    CategoryWord{"cuda_runtime", Category::kRuntimeCall},
    CategoryWord{"Runtime", Category::kRuntimeCall},
    CategoryWord{"cuda_driver", Category::kDriverCall},
    CategoryWord{"python_function", Category::kPython},
    CategoryWord{"kernel", Category::kKernel},
    CategoryWord{"Kernel", Category::kKernel},
    CategoryWord{"gpu_memcpy", Category::kMemcpy},
    CategoryWord{"Memcpy", Category::kMemcpy},
    CategoryWord{"gpu_memset", Category::kMemset},
    CategoryWord{"Memset", Category::kMemset},
    CategoryWord{"cuda_sync", Category::kSync},
    CategoryWord{"overhead", Category::kOverhead},
    // Times of other events, seen from the GPU, and of the profiler itself.
    CategoryWord{"gpu_user_annotation", Category::kIgnored},
    CategoryWord{"Trace", Category::kIgnored},
};

/// The category of an event with a duration; nullopt: an unknown category, or another event.
inline std::optional<Category> category_of(const TraceEvent& event) {
  if (event.phase != "X") return std::nullopt;
  const auto* const known = std::ranges::find(kCategories, event.category, &CategoryWord::word);
  return known == kCategories.end() ? std::nullopt : std::optional(known->category);
}

/// Its process and thread are those of the program.
constexpr bool is_on_host(Category category) {
  return category == Category::kOp || category == Category::kAnnotation ||
         category == Category::kPython || category == Category::kRuntimeCall ||
         category == Category::kDriverCall;
}

/// Its process is a GPU.
constexpr bool is_on_gpu(Category category) {
  return category == Category::kKernel || category == Category::kMemcpy ||
         category == Category::kMemset || category == Category::kSync;
}

}  // namespace prof::importers
