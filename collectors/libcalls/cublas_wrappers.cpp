// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas_wrappers.hpp"

#include "collectors/libcalls/cublas_gemm.hpp"
#include "collectors/libcalls/cublas_grouped.hpp"
#include "collectors/libcalls/cublas_triangles.hpp"
#include "collectors/libcalls/cublas_vectors.hpp"
#include "collectors/libcalls/cublaslt_matmul.hpp"
#include "collectors/libcalls/hidden_version.hpp"
#include "collectors/libcalls/wrapper.hpp"

namespace prof::collectors {
namespace {

using enum DataType;

#define PROF_WRAPPED(library, symbol, Of, ...)                    \
  struct Entry_##symbol {                                         \
    static constexpr char kSymbol[] = #symbol;                    \
    static constexpr char kRelease12[] = "lib" #library ".so.12"; \
    static constexpr char kRelease13[] = "lib" #library ".so.13"; \
    static constexpr Types kTypes = __VA_ARGS__;                  \
    using Family = Of;                                            \
  };
#include "collectors/libcalls/cublas_functions.inc"
#undef PROF_WRAPPED

template <typename Entry, int kMajor>
using Wrapped = Wrapper<Entry, CublasRelease<kMajor>>;

template <typename One>
WrappedFunction wrapped() {
  return {&One::real, reinterpret_cast<void*>(&One::call)};
}

}  // namespace

std::span<const WrappedFunction> cublas_wrappers() noexcept {
  static const WrappedFunction all[] = {
#define PROF_WRAPPED(library, symbol, ...) \
  wrapped<Wrapped<Entry_##symbol, 13>>(), wrapped<Wrapped<Entry_##symbol, 12>>(),
#include "collectors/libcalls/cublas_functions.inc"
#undef PROF_WRAPPED
  };
  return all;
}

}  // namespace prof::collectors

// Each release's function, under the version that the library's own has.
#define PROF_RELEASE(major, library, symbol)                                                       \
  extern "C" __attribute__((                                                                       \
      visibility("hidden"))) decltype(&prof::collectors::Wrapped<prof::collectors::Entry_##symbol, \
                                                                 major>::call)                     \
      const prof_entry_##major##_##symbol;                                                         \
  __attribute__((                                                                                  \
      used)) decltype(&prof::collectors::Wrapped<prof::collectors::Entry_##symbol, major>::call)   \
      const prof_entry_##major##_##symbol =                                                        \
          &prof::collectors::Wrapped<prof::collectors::Entry_##symbol, major>::call;               \
  PROF_EXPORT_HIDDEN(prof_wrap_##major##_##symbol, prof_entry_##major##_##symbol, symbol,          \
                     "lib" #library ".so." #major);
#define PROF_WRAPPED(library, symbol, ...) \
  PROF_RELEASE(13, library, symbol)        \
  PROF_RELEASE(12, library, symbol)
#include "collectors/libcalls/cublas_functions.inc"
