// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/backend.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "collectors/libcalls/cudnn/backend_plan.hpp"
#include "collectors/libcalls/cudnn/backend_table.hpp"

namespace prof::collectors {
namespace {

/// Another thread may have held a lock of the table when this child was made.
constinit std::atomic<bool> g_is_child{false};

bool is_child() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_is_child.store(true, std::memory_order_relaxed); });
  return registered != 0 || g_is_child.load(std::memory_order_relaxed);
}

template <typename Work>
void guarded(Work work) noexcept {
  if (is_child()) return;
  try {
    work(backend_table());
  } catch (...) {  // Out of memory: the descriptor stays unknown.
  }
}

}  // namespace

void watch_create(int type, const void* descriptor) noexcept {
  guarded([&](BackendTable& table) { table.create(descriptor, type); });
}

void watch_destroy(const void* descriptor) noexcept {
  guarded([&](BackendTable& table) { table.destroy(descriptor); });
}

void watch_set(const void* descriptor, int name, int type, std::int64_t count,
               const void* elements) noexcept {
  guarded([&](BackendTable& table) { table.set(descriptor, name, type, count, elements); });
}

void watch_get(const void* descriptor, int name, int type, std::int64_t count,
               const void* elements) noexcept {
  guarded([&](BackendTable& table) { table.get(descriptor, name, type, count, elements); });
}

void watch_finalize(const void* descriptor) noexcept {
  guarded([&](BackendTable& table) {
    table.finalize(descriptor);
    const BackendNode::Link node = table.find(descriptor);
    if (node == nullptr || node->type != BackendNumbers::kPlan) return;
    table.describe(descriptor, std::make_shared<const BackendPlan>(plan_of(*node)));
  });
}

void write_execution(CallFacts& facts, const void* plan, const void* variant_pack) noexcept {
  facts.op("cudnn::graph");
  if (is_child()) return;
  BackendTable& table = backend_table();
  const std::shared_ptr<const BackendPlan> known = table.plan(plan);
  if (known == nullptr) return facts.fact("plan", "unknown");
  if (table.find(variant_pack) != nullptr) return facts.fact("sizes", "overridden");
  facts.op(known->op);
  facts.append(known->bytes);
}

}  // namespace prof::collectors
