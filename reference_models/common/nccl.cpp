// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See nccl.hpp. Names and numbers are those of NCCL's C interface, version 2.
#include "common/nccl.hpp"

#include <dlfcn.h>

#include <numeric>
#include <stdexcept>
#include <string>

namespace ref {
namespace {

using Status = int;  // ncclResult_t
constexpr Status kSuccess = 0;
constexpr int kNcclFloat32 = 7;  // ncclDataType_t
constexpr int kNcclBfloat16 = 9;
constexpr int kAverage = 4;  // ncclRedOp_t

template <typename Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("libnccl.so.2 has no ") + name);
  return reinterpret_cast<Function*>(symbol);
}

struct Api {
  Status (*comm_init_all)(ncclComm**, int, const int*);
  Status (*comm_destroy)(ncclComm*);
  Status (*all_reduce)(const void*, void*, std::size_t, int, int, ncclComm*, cudaStream_t);
  const char* (*error_string)(Status);

  Api() {
    // Stays open: it has threads of its own.
    void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw std::runtime_error("several GPUs need NCCL, and libnccl.so.2 was not found");
    }
    comm_init_all = find<Status(ncclComm**, int, const int*)>(library, "ncclCommInitAll");
    comm_destroy = find<Status(ncclComm*)>(library, "ncclCommDestroy");
    all_reduce = find<Status(const void*, void*, std::size_t, int, int, ncclComm*, cudaStream_t)>(
        library, "ncclAllReduce");
    error_string = find<const char*(Status)>(library, "ncclGetErrorString");
  }

  void check(Status status) const {
    if (status != kSuccess) throw std::runtime_error(std::string("NCCL: ") + error_string(status));
  }
};

const Api& api() {
  static const Api table;
  return table;
}

void average_in_place(void* data, std::size_t count, int type, ncclComm* comm,
                      cudaStream_t stream) {
  api().check(api().all_reduce(data, data, count, type, kAverage, comm, stream));
}

}  // namespace

Communicator::~Communicator() {
  if (handle_ != nullptr) api().comm_destroy(handle_);
}

void Communicator::average(float* data, std::size_t count, cudaStream_t stream) {
  average_in_place(data, count, kNcclFloat32, handle_, stream);
}
void Communicator::average(__nv_bfloat16* data, std::size_t count, cudaStream_t stream) {
  average_in_place(data, count, kNcclBfloat16, handle_, stream);
}

std::vector<Communicator> connect_gpus(int ranks) {
  std::vector<ncclComm*> handles(static_cast<std::size_t>(ranks));
  std::vector<int> devices(handles.size());
  std::iota(devices.begin(), devices.end(), 0);
  api().check(api().comm_init_all(handles.data(), ranks, devices.data()));
  std::vector<Communicator> communicators;
  for (ncclComm* handle : handles) communicators.push_back(Communicator(handle));
  return communicators;
}

}  // namespace ref
