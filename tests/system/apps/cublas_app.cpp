// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the calls of tests/support/cublas_calls on the stand-in libraries:
// clang-format off
//   cublas_app local MODULE     loads the module that is linked to cuBLAS as Python does, with RTLD_LOCAL
//   cublas_app hand MODULE CUBLAS CUBLASLT   a module that looks the functions up in these
//   cublas_app default MODULE CUBLAS CUBLASLT   one that looks them up by RTLD_DEFAULT
//   cublas_app threads|fork|throw MODULE   single products: 50 each on 8 threads, M = 1 to 8; M = 3,
//                               4 in a child, 5; 3, one that throws, 5
//   cublas_app wrapped          prints the functions that are wrapped
//   cublas_app visible          which of the names it sees without cuBLAS, and what is next to it
// clang-format on
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "calls.hpp"

namespace {

void* load(const char* path, int flags) {
  void* const found = dlopen(path, flags);
  if (found == nullptr) std::fprintf(stderr, "app: %s\n", dlerror());
  return found;
}

const char* is_seen(const void* found) { return found != nullptr ? "seen" : "unseen"; }

int show_visible() {
  const char* const error = dlerror();
  std::printf("default %s\n", is_seen(dlsym(RTLD_DEFAULT, "cublasSgemm_v2")));
  std::printf("next %s\n", is_seen(dlsym(RTLD_NEXT, "cublasSgemm_v2")));
  std::printf("error %s\n", is_seen(dlerror()));
  std::printf("again %s, before %s\n", is_seen(dlerror()), is_seen(error));
  void* const own = dlopen(nullptr, RTLD_NOW);
  std::printf("own %s\n", is_seen(dlsym(own, "cublasLtMatmul")));
  std::printf("libc %d\n", dlsym(RTLD_NEXT, "dlopen") == reinterpret_cast<void*>(&dlopen));
  return 0;
}

int show_wrapped() {
#define PROF_WRAPPED(library, symbol, ...) std::puts(#symbol);
#include "collectors/libcalls/cublas/functions.inc"
#undef PROF_WRAPPED
  return 0;
}

void on_threads(decltype(&make_one_product) product) {
  std::vector<std::thread> threads;
  for (int m = 1; m <= 8; ++m) {
    threads.emplace_back([=] {
      for (int i = 0; i < 50; ++i) product(m);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int around_fork(decltype(&make_one_product) product) {
  product(3);
  const pid_t child = fork();
  if (child == 0) {
    product(4);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  product(5);
  return WEXITSTATUS(status) == 7 ? 0 : 1;
}

int around_exception(decltype(&make_one_product) product) {
  product(3);
  int thrown = 0;
  try {
    product(kThrowing);
  } catch (int m) {
    thrown = m;
  }
  product(5);
  return thrown == kThrowing ? 0 : 1;
}

/// Negative: not one of these modes.
int make_single_products(const char* mode, decltype(&make_one_product) product) {
  if (std::strcmp(mode, "fork") == 0) return around_fork(product);
  if (std::strcmp(mode, "throw") == 0) return around_exception(product);
  if (std::strcmp(mode, "threads") != 0) return -1;
  on_threads(product);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "visible") == 0) return show_visible();
  if (count == 2 && std::strcmp(words[1], "wrapped") == 0) return show_wrapped();
  static float matrices[1024];
  static void* pointers[kMaxPointers];
  BlasMachine machine{matrices, pointers, nullptr, nullptr, nullptr, nullptr, nullptr};
  if (count == 5) {
    const bool is_default = std::strcmp(words[1], "default") == 0;
    const int scope = is_default ? RTLD_GLOBAL : RTLD_LOCAL;
    machine.cublaslt = load(words[4], RTLD_NOW | scope);
    machine.cublas = load(words[3], RTLD_NOW | scope);
    if (machine.cublas == nullptr || machine.cublaslt == nullptr) return 1;
    if (is_default) machine.cublas = machine.cublaslt = RTLD_DEFAULT;
  }
  void* const module = count >= 3 ? load(words[2], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (module == nullptr) return 1;
  const int status = make_single_products(
      words[1], reinterpret_cast<decltype(&make_one_product)>(dlsym(module, "make_one_product")));
  if (status >= 0) return status;
  auto* const calls =
      reinterpret_cast<decltype(&make_blas_calls)>(dlsym(module, "make_blas_calls"));
  return calls == nullptr ? 1 : calls(&machine);
}
