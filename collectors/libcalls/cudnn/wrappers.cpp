// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrapped functions of cuDNN. Programs bind to libcudnn.so.N, which looks up the functions of
// its parts (libcudnn_graph.so.N and others) itself and calls them there.
#include "collectors/libcalls/cudnn/backend.hpp"
#include "collectors/libcalls/cudnn/form.hpp"

namespace prof::collectors {

template <int kMajor>
struct CudnnRelease {
  static constexpr const char* kSource = "cudnn";
  static CudnnGetters& getters() {
    static constinit CudnnGetters found{kMajor == 8 ? "libcudnn.so.8" : "libcudnn.so.9"};
    return found;
  }
};

}  // namespace prof::collectors

#define PROF_FUNCTIONS "collectors/libcalls/cudnn/functions.inc"
#define PROF_RELEASES(X, ...) X(9, __VA_ARGS__) X(8, __VA_ARGS__)
#define PROF_RELEASE_TYPE(major) CudnnRelease<major>
#include "collectors/libcalls/wrapped_library.inc"

PROF_INTERPOSER(cudnn)
