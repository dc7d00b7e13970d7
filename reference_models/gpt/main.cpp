// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-gpt: trains a GPT-2 on one synthetic batch, so that a profiler has a known step to explain.
#include "common/workload.hpp"
#include "gpt/workload.hpp"

int main(int argc, char** argv) {
  ref::GptWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
