// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Exports a function with a hidden symbol version. The dynamic linker binds references with that
// version to it, as in all programs that were linked against the library; plain dlsym, which takes
// default versions alone, never finds it, so that the program sees no symbol that it lacked
// (docs/decisions/0014-library-calls.md). The symbol is a jump to the address in `entry`, since the
// function itself is a template's.
#pragma once

#if defined(__x86_64__)
#define PROF_JUMP(entry) "endbr64\n\tjmp *" entry "(%rip)\n"
#elif defined(__aarch64__)
#define PROF_JUMP(entry) \
  "hint #34\n\tadrp x16, " entry "\n\tldr x16, [x16, #:lo12:" entry "]\n\tbr x16\n"
#else
#error "no jump for this machine"
#endif

#define PROF_EXPORT_HIDDEN(wrapper, entry, symbol, version) \
  PROF_EXPORT_HIDDEN_TEXT(#wrapper, #entry, #symbol, version)
#define PROF_EXPORT_HIDDEN_TEXT(wrapper, entry, symbol, version)                              \
  __asm__(".pushsection .text\n\t.balign 16\n\t.globl " wrapper "\n\t.type " wrapper          \
          ", %function\n" wrapper ":\n\t" PROF_JUMP(entry) "\t.size " wrapper ", .-" wrapper  \
                                                           "\n\t.symver " wrapper ", " symbol \
                                                           "@" version "\n\t.popsection\n")
