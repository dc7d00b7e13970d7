// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls NCCL as an unprofiled program would: every collective and point-to-point call, alone, in
// groups, and for several GPUs in one group. Prints a line for each call of rank 0:
//
//     OP BYTES RANKS [GPUS]
//
// BYTES follow from the count passed to NCCL, 0 for a group of different calls; GPUS is the number
// of GPUs in one group of one thread. Usage: nccl_plain RANKS [ELEMENTS]. Uses RANKS GPUs of this
// machine, one thread each. NCCL is loaded at run time. Exit 77: not available.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Comm;
using Status = int;        // ncclResult_t
constexpr int kFloat = 7;  // ncclFloat32
constexpr int kSum = 0;    // ncclSum
constexpr std::size_t kRoot = 0;
constexpr int kSkipped = 77;

[[noreturn]] void fail(int status, const std::string& why) {
  std::fprintf(stderr, "nccl_plain: %s\n", why.c_str());
  std::_Exit(status);
}

void check(cudaError_t status) {
  if (status != cudaSuccess) fail(1, cudaGetErrorString(status));
}

class Library {
 public:
  Library() : handle_(dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail(kSkipped, "SKIPPED: libnccl.so.2 was not found");
  }
  /// Null if this version has no such function.
  template <typename... Arguments>
  auto find(const char* name) const {
    return reinterpret_cast<Status (*)(Arguments...)>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

struct Nccl : Library {
  template <typename... Arguments>
  using Call = Status (*)(Arguments...);
  using From = const void*;
  using To = void*;
  using Size = std::size_t;
  using Stream = cudaStream_t;

  Call<int*> version = find<int*>("ncclGetVersion");
  Call<Comm**, int, const int*> init_all = find<Comm**, int, const int*>("ncclCommInitAll");
  Call<Comm*> destroy = find<Comm*>("ncclCommDestroy");
  Call<> group_start = find<>("ncclGroupStart");
  Call<> group_end = find<>("ncclGroupEnd");
  Call<From, To, Size, int, int, Comm*, Stream> all_reduce =
      find<From, To, Size, int, int, Comm*, Stream>("ncclAllReduce");
  Call<From, To, Size, int, int, Comm*, Stream> reduce_scatter =
      find<From, To, Size, int, int, Comm*, Stream>("ncclReduceScatter");
  Call<From, To, Size, int, Comm*, Stream> all_gather =
      find<From, To, Size, int, Comm*, Stream>("ncclAllGather");
  Call<From, To, Size, int, Comm*, Stream> all_to_all =
      find<From, To, Size, int, Comm*, Stream>("ncclAlltoAll");
  Call<From, To, Size, int, int, Comm*, Stream> broadcast =
      find<From, To, Size, int, int, Comm*, Stream>("ncclBroadcast");
  Call<From, To, Size, int, int, int, Comm*, Stream> reduce =
      find<From, To, Size, int, int, int, Comm*, Stream>("ncclReduce");
  Call<From, To, Size, int, int, Comm*, Stream> gather =
      find<From, To, Size, int, int, Comm*, Stream>("ncclGather");
  Call<From, To, Size, int, int, Comm*, Stream> scatter =
      find<From, To, Size, int, int, Comm*, Stream>("ncclScatter");
  Call<From, Size, int, int, Comm*, Stream> send =
      find<From, Size, int, int, Comm*, Stream>("ncclSend");
  Call<To, Size, int, int, Comm*, Stream> recv =
      find<To, Size, int, int, Comm*, Stream>("ncclRecv");
};

void check_nccl(Status status) {
  if (status != 0) fail(1, "NCCL gave status " + std::to_string(status));
}

/// A GPU's end: a stream and two buffers of `ranks` times `count` elements.
struct Rank {
  int rank = 0;
  Comm* comm = nullptr;
  cudaStream_t stream = nullptr;
  float *from = nullptr, *to = nullptr;

  void prepare(std::size_t elements) {
    check(cudaSetDevice(rank));
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (float** buffer : {&from, &to}) {
      void* memory = nullptr;
      check(cudaMalloc(&memory, elements * sizeof(float)));
      *buffer = static_cast<float*>(memory);
      check(cudaMemset(*buffer, 0, elements * sizeof(float)));
    }
    check(cudaDeviceSynchronize());
  }
};

class Program {
 public:
  Program(int ranks, std::size_t count) : count_(count), ranks_(static_cast<std::size_t>(ranks)) {
    std::vector<Comm*> comms(ranks_.size());
    check_nccl(nccl_.init_all(comms.data(), ranks, nullptr));
    for (int i = 0; i < ranks; ++i) {
      Rank& rank = ranks_[static_cast<std::size_t>(i)];
      rank.rank = i;
      rank.comm = comms[static_cast<std::size_t>(i)];
      rank.prepare(count * ranks_.size());
    }
  }
  ~Program() {
    for (const Rank& rank : ranks_) nccl_.destroy(rank.comm);
  }

  void run() {
    int version = 0;
    nccl_.version(&version);
    std::fprintf(stderr, "nccl_plain: NCCL %d, %zu GPUs\n", version, ranks_.size());
    std::barrier ready(static_cast<std::ptrdiff_t>(ranks_.size()));
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    for (Rank& rank : ranks_) {
      threads.emplace_back([&] {
        check(cudaSetDevice(rank.rank));
        call_each(rank, ready);
      });
    }
    for (std::thread& thread : threads) thread.join();
    call_for_all();
  }

 private:
  using Step = std::function<Status()>;

  /// A call by every rank, and the line that rank 0 prints.
  void step(const Rank& rank, std::barrier<>& ready, const char* name, std::size_t elements,
            const Step& call) {
    ready.arrive_and_wait();  // so that kernels do not wait for the other GPU
    check_nccl(call());
    check(cudaStreamSynchronize(rank.stream));
    if (rank.rank == 0) tell(name, elements);
  }
  void tell(const char* name, std::size_t elements) const {
    std::printf("%s %zu %zu\n", name, elements * sizeof(float), ranks_.size());
  }

  void call_each(const Rank& r, std::barrier<>& ready) {
    const int root = static_cast<int>(kRoot);
    const int next = (r.rank + 1) % static_cast<int>(ranks_.size());
    const int last =
        (r.rank + static_cast<int>(ranks_.size()) - 1) % static_cast<int>(ranks_.size());
    const auto all_reduce = [&](std::size_t count) {
      return nccl_.all_reduce(r.from, r.to, count, kFloat, kSum, r.comm, r.stream);
    };
    for (int i = 0; i < 3; ++i) {
      step(r, ready, "all_reduce", count_, [&] { return all_reduce(count_); });
    }
    step(r, ready, "all_reduce", 1024, [&] { return all_reduce(1024); });
    step(r, ready, "all_gather", count_,
         [&] { return nccl_.all_gather(r.from, r.to, count_, kFloat, r.comm, r.stream); });
    step(r, ready, "reduce_scatter", count_, [&] {
      return nccl_.reduce_scatter(r.from, r.to, count_, kFloat, kSum, r.comm, r.stream);
    });
    step(r, ready, "broadcast", count_,
         [&] { return nccl_.broadcast(r.from, r.to, count_, kFloat, root, r.comm, r.stream); });
    step(r, ready, "reduce", count_,
         [&] { return nccl_.reduce(r.from, r.to, count_, kFloat, kSum, root, r.comm, r.stream); });
    if (nccl_.all_to_all != nullptr) {
      step(r, ready, "all_to_all", count_,
           [&] { return nccl_.all_to_all(r.from, r.to, count_, kFloat, r.comm, r.stream); });
    }
    if (nccl_.gather != nullptr && nccl_.scatter != nullptr) {
      step(r, ready, "gather_ranks", count_,
           [&] { return nccl_.gather(r.from, r.to, count_, kFloat, root, r.comm, r.stream); });
      step(r, ready, "scatter_ranks", count_,
           [&] { return nccl_.scatter(r.from, r.to, count_, kFloat, root, r.comm, r.stream); });
    }
    // In groups, the launch is that of the outermost ncclGroupEnd.
    step(r, ready, "send_recv", count_, [&] {
      nccl_.group_start();
      nccl_.send(r.from, count_, kFloat, next, r.comm, r.stream);
      nccl_.recv(r.to, count_, kFloat, last, r.comm, r.stream);
      return nccl_.group_end();
    });
    if (ranks_.size() == 1) return;  // collectives of one rank are copies, made at once
    step(r, ready, "all_reduce", 3 * 4096, [&] {
      nccl_.group_start();
      for (std::size_t i = 0; i < 3; ++i) {
        nccl_.group_start();
        nccl_.all_reduce(r.from + i * 4096, r.to + i * 4096, 4096, kFloat, kSum, r.comm, r.stream);
        nccl_.group_end();
      }
      return nccl_.group_end();
    });
    step(r, ready, "nccl_group", 0, [&] {
      nccl_.group_start();
      all_reduce(4096);
      nccl_.broadcast(r.from, r.to, 4096, kFloat, root, r.comm, r.stream);
      return nccl_.group_end();
    });
  }

  /// All GPUs in one group of one thread.
  void call_for_all() {
    nccl_.group_start();
    for (const Rank& r : ranks_) {
      nccl_.all_reduce(r.from, r.to, count_, kFloat, kSum, r.comm, r.stream);
    }
    check_nccl(nccl_.group_end());
    for (const Rank& r : ranks_) {
      check(cudaSetDevice(r.rank));
      check(cudaStreamSynchronize(r.stream));
    }
    std::printf("all_reduce %zu %zu %zu\n", count_ * sizeof(float), ranks_.size(), ranks_.size());
  }

  Nccl nccl_;
  std::size_t count_;
  std::vector<Rank> ranks_;
};

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 0;
  const long long count = argc > 2 ? std::atoll(argv[2]) : 16LL << 20;
  if (ranks < 1 || count < 2 * 4096) fail(2, "usage: nccl_plain RANKS [ELEMENTS, at least 8192]");
  int present = 0;
  if (cudaGetDeviceCount(&present) != cudaSuccess || present < ranks) {
    fail(kSkipped,
         "SKIPPED: needs " + std::to_string(ranks) + " GPUs, found " + std::to_string(present));
  }
  Program(ranks, static_cast<std::size_t>(count)).run();
  return 0;
}
