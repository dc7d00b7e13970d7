// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the stand-in cuDNN that do no more than launch a kernel of their name: they
// ignore their arguments. Those of the other files take precedence.
#include "library_launch.hpp"

#define PROF_WRAPPED(library, symbol, ...)                                  \
  extern "C" __attribute__((weak)) int standin_##symbol() __asm__(#symbol); \
  int standin_##symbol() { return standin_launch(#symbol) == 0 ? 0 : 5000; }
#include "collectors/libcalls/cudnn/functions.inc"
