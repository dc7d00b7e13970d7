// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Marks the calling thread while the collector itself calls CUDA, so that those calls are not
// mistaken for the program's. A plain thread-local: no constructor, no destructor, no lock.
#pragma once

namespace prof::collectors {

/// True while this thread makes the collector's own CUDA calls.
bool is_own_call();

/// During its lifetime, CUDA calls of this thread are the collector's. May nest.
class OwnCalls {
 public:
  OwnCalls();
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
  ~OwnCalls();

 private:
  bool before_;
};

}  // namespace prof::collectors
