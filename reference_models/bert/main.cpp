// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-bert: pre-trains a BERT on one synthetic batch, so that a profiler has a known step to
// explain.
#include "bert/workload.hpp"
#include "common/workload.hpp"

int main(int argc, char** argv) {
  ref::BertWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
