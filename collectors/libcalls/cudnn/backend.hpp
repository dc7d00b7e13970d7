// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of cuDNN's backend. Those that build descriptors are watched (backend_table.hpp); a
// plan is described once, when it is final (backend_plan.hpp), and each execution is a call with
// that description. A call with an unknown plan, such as one restored from JSON, is marked as such.
#pragma once

#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/cudnn/form.hpp"

namespace prof::collectors {

// Failures here never reach the program: descriptors that are not kept are unknown.
void watch_create(int type, const void* descriptor) noexcept;
void watch_destroy(const void* descriptor) noexcept;
void watch_set(const void* descriptor, int name, int type, std::int64_t count,
               const void* elements) noexcept;
void watch_get(const void* descriptor, int name, int type, std::int64_t count,
               const void* elements) noexcept;
void watch_finalize(const void* descriptor) noexcept;
void write_execution(CallFacts& facts, const void* plan, const void* variant_pack) noexcept;

struct BackendCreate {
  using OnlyWatched = void;
  using Function = int(int, void**);
  static void watch(int status, int type, void* const* descriptor) {
    if (status == 0 && descriptor != nullptr) watch_create(type, *descriptor);
  }
};

/// The descriptor is forgotten before it is destroyed: after that, another thread may get the same
/// address.
struct BackendDestroy {
  using OnlyWatched = void;
  using Function = int(void*);
  static void watch_before(const void* descriptor) { watch_destroy(descriptor); }
  static void watch(int /*status*/, const void* /*descriptor*/) {}
};

struct BackendSet {
  using OnlyWatched = void;
  using Function = int(void*, int, int, std::int64_t, const void*);
  static void watch(int status, const void* descriptor, int name, int type, std::int64_t count,
                    const void* elements) {
    if (status == 0) watch_set(descriptor, name, type, count, elements);
  }
};

struct BackendGet {
  using OnlyWatched = void;
  using Function = int(void*, int, int, std::int64_t, std::int64_t*, void*);
  static void watch(int status, const void* descriptor, int name, int type, std::int64_t requested,
                    const std::int64_t* count, const void* elements) {
    if (status != 0 || elements == nullptr) return;
    const std::int64_t got = count == nullptr || *count > requested ? requested : *count;
    watch_get(descriptor, name, type, got, elements);
  }
};

struct BackendFinalize {
  using OnlyWatched = void;
  using Function = int(void*);
  static void watch(int status, const void* descriptor) {
    if (status == 0) watch_finalize(descriptor);
  }
};

struct BackendExecute {
  using Function = int(void*, void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const CudnnOp&, void*, const void* plan,
                       const void* variant_pack) {
    write_execution(facts, plan, variant_pack);
  }
};

/// The nodes of a plan are added to a CUDA graph, or changed there.
struct BackendToGraph {
  using Function = int(void*, void*, void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const CudnnOp&, void*, const void* plan,
                       const void* variant_pack, void*) {
    write_execution(facts, plan, variant_pack);
  }
};

}  // namespace prof::collectors
