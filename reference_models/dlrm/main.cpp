// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-dlrm: trains a DLRM on one synthetic batch, so that a profiler has a known step to explain.
#include "common/workload.hpp"
#include "dlrm/workload.hpp"

int main(int argc, char** argv) {
  ref::DlrmWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
