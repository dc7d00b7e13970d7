// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Marks the collector's own CUDA calls, see own_calls.hpp.
#include "collectors/cupti/own_calls.hpp"

namespace prof::collectors {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local bool calls_are_own = false;

}  // namespace

bool is_own_call() { return calls_are_own; }

OwnCalls::OwnCalls() : before_(calls_are_own) { calls_are_own = true; }
OwnCalls::~OwnCalls() { calls_are_own = before_; }

}  // namespace prof::collectors
