// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that system tests profile: `script_app 'SCRIPT'` runs the script. It knows nothing
// about the profiler and uses CUDA and NVTX like any program; built a second time with libprof, it
// can also start and stop the profiler. With APP_COUNTS=FILE it writes its counts to that file.
#include <cstdio>
#include <cstdlib>

#include "runner.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s 'SCRIPT'\n", argv[0]);
    return 64;
  }
  // On the heap for good: threads of the script may outlive main.
  auto* runner = new Runner;
  runner->program = argv[0];
  runner->run(parse_script(argv[1]));
  if (const char* path = std::getenv("APP_COUNTS")) runner->counts.write_json(path);
  return 0;
}
