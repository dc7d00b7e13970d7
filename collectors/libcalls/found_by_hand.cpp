// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// dlsym, for programs that look up functions of the library by hand, as XLA and CuPy do: they get
// the wrapper of the function that they find. All other names, and RTLD_NEXT, whose meaning depends
// on the caller, go to the real dlsym by a jump, so that it sees the program as its caller. If
// several libraries of wrapped functions are preloaded, the real dlsym of each is that of the next,
// and the last one's is libc's. No lock, no memory.
#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "collectors/libcalls/interposer.hpp"

namespace prof::collectors {
namespace {

using Find = void*(void* handle, const char* name);

constinit std::atomic<Find*> g_real{nullptr};

/// Symbol version of libc's first release for the machine.
#if defined(__x86_64__)
constexpr const char* kOlderVersion = "GLIBC_2.2.5";
#else
constexpr const char* kOlderVersion = "GLIBC_2.17";
#endif

/// dlvsym() finds only libc's, since ours has no version: the version that programs are linked with
/// today, or the older one. Called from this library, it finds the next.
Find* find_dlsym() noexcept {
  for (const char* version : {"GLIBC_2.34", kOlderVersion}) {
    if (void* libc = dlvsym(RTLD_NEXT, "dlsym", version); libc != nullptr) {
      void* const next = reinterpret_cast<Find*>(libc)(RTLD_NEXT, "dlsym");
      return reinterpret_cast<Find*>(next != nullptr ? next : libc);
    }
  }
  dlerror();
  return nullptr;
}

/// The wrapper that the program gets in place of `found`; `found` itself if it is no function of a
/// release that is wrapped.
void* wrapper_of(void* found, const char* name, void* handle) noexcept {
  // By version, the wrapper itself would be found first.
  if (handle == RTLD_DEFAULT) handle = RTLD_NEXT;
  for (const WrappedFunction& one : interposer().functions) {
    if (std::strcmp(one.real->symbol(), name) != 0) continue;
    if (dlvsym(handle, name, one.real->library()) != found) continue;
    if (one.real->accept(found)) return one.wrapper;
  }
  return found;
}

bool is_wrapped(const char* name) noexcept {
  const char* const prefix = interposer().name;
  if (name == nullptr || std::strncmp(name, prefix, std::strlen(prefix)) != 0) return false;
  for (const WrappedFunction& one : interposer().functions) {
    if (std::strcmp(one.real->symbol(), name) == 0) return true;
  }
  return false;
}

}  // namespace
}  // namespace prof::collectors

/// The address that dlsym returns instead of the one it finds; null: dlsym's own result. Sets
/// `real`.
extern "C" __attribute__((visibility("hidden"), used)) void* prof_find_by_hand(
    void* handle, const char* name, prof::collectors::Find** real) noexcept {
  using namespace prof::collectors;
  Find* found_real = g_real.load(std::memory_order_relaxed);
  if (found_real == nullptr) {
    found_real = find_dlsym();
    g_real.store(found_real, std::memory_order_relaxed);
  }
  *real = found_real;
  if (handle == RTLD_NEXT || !is_wrapped(name)) return nullptr;
  void* const found = found_real(handle, name);
  // The real one states the error, or knows the caller's own symbols.
  if (found == nullptr) return nullptr;
  void* const given = wrapper_of(found, name, handle);
  dlerror();
  return given;
}

// Keeps the two arguments; the stack is aligned for the call.
#if defined(__x86_64__)
__asm__(R"(
  .pushsection .text
  .balign 16
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq %rsp, %rdx
  call prof_find_by_hand
  movq (%rsp), %rdx
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jne 1f
  jmp *%rdx
1:
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#elif defined(__aarch64__)
__asm__(R"(
  .pushsection .text
  .balign 16
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-48]!
  .cfi_def_cfa_offset 48
  .cfi_offset 29, -48
  .cfi_offset 30, -40
  mov x29, sp
  stp x0, x1, [sp, #16]
  add x2, sp, #32
  bl prof_find_by_hand
  mov x17, x0
  ldr x16, [sp, #32]
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #48
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  cbnz x17, 1f
  br x16
1:
  mov x0, x17
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#endif
