// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A call of the stand-in driver with the callbacks that the real runtime and driver raise for it,
// and what the files of work and of graphs share besides.
#pragma once

#include <cupti.h>

#include "cuda_state.hpp"

namespace standin {

struct ApiName {
  std::uint32_t cbid;  ///< 0: this call does not go through that domain.
  const char* name;
};
#define STANDIN_RT(function, suffix) \
  standin::ApiName { CUPTI_RUNTIME_TRACE_CBID_##function##suffix, #function }
#define STANDIN_DR(function) \
  standin::ApiName { CUPTI_DRIVER_TRACE_CBID_##function, #function }
constexpr ApiName kNoApi{0, nullptr};

struct CallNames {
  ApiName runtime, driver;
};

std::uint32_t next_correlation();
/// A copy of the name that lives as long as the process.
const char* keep_name(const char* name);
/// Gives the work its place on its stream.
void set_times(Work& work, std::uint64_t duration_ns);
/// Makes the work a node of the graph that this thread captures; false: it captures none.
bool capture_node(const Work& work, std::uint32_t node_type, const CuptiHooks* hooks);

/// One call with what is inside it; the constructor enters, the destructor leaves.
class Call {
 public:
  /// `parameters`: the struct of the driver's function, as in generated_cuda_meta.h.
  Call(const CallNames& names, const char* symbol, int status, const void* parameters = nullptr)
      : hooks_(driver_state().hooks.load(std::memory_order_acquire)),
        correlation_(next_correlation()) {
    const int unusable = initialize();
    status_ = unusable != 0 ? unusable : status;
    if (unusable == 0 && !driver_state().context_told.exchange(true) && hooks_ != nullptr) {
      hooks_->resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    }
    hooks_ = driver_state().hooks.load(std::memory_order_acquire);
    enter(runtime_, CUPTI_CB_DOMAIN_RUNTIME_API, names.runtime, symbol);
    driver_.parameters = parameters;
    enter(driver_, CUPTI_CB_DOMAIN_DRIVER_API, names.driver, symbol);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    leave(driver_);
    leave(runtime_);
  }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::uint32_t correlation() const { return correlation_; }
  [[nodiscard]] const CuptiHooks* hooks() const { return hooks_; }

 private:
  void enter(ApiSite& site, std::uint32_t domain, const ApiName& api, const char* symbol) {
    if (api.cbid == 0 || hooks_ == nullptr) return;
    site = {domain, api.cbid, api.name, symbol, correlation_, status_, 0, site.parameters};
    hooks_->api(site, true);
  }
  void leave(ApiSite& site) {
    if (site.cbid != 0 && hooks_ != nullptr) hooks_->api(site, false);
  }

  const CuptiHooks* hooks_;
  std::uint32_t correlation_;
  int status_ = 0;
  ApiSite runtime_, driver_;
};

}  // namespace standin
