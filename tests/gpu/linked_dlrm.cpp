// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The third way to capture, a program that links libprof: starts it, does exactly what ref-dlrm
// does (whose main is compiled in under another name), stops it. Usage: linked_dlrm TRACE.db
// [ref-dlrm's options]
#include <prof/prof.h>

#include <cstdio>

int ref_dlrm_main(int argc, char** argv);

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s TRACE.db [options of ref-dlrm]\n", argv[0]);
    return 2;
  }
  prof_options options = PROF_OPTIONS_INIT;
  options.output = argv[1];
  if (prof_start(&options) != PROF_OK) {
    std::fprintf(stderr, "linked_dlrm: prof_start: %s\n", prof_last_error());
    return 1;
  }
  argv[1] = argv[0];
  const int status = ref_dlrm_main(argc - 1, argv + 1);
  if (prof_stop() != PROF_OK) {
    std::fprintf(stderr, "linked_dlrm: prof_stop: %s\n", prof_last_error());
    return 1;
  }
  return status;
}
