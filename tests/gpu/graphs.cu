// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA graphs of every kind. Each kernel node is made in a layer "L<n>" and has n blocks, also
// after an update, so that a trace shows for itself whether a kernel is in the right layer. Each
// launch is a step. Prints as JSON how many kernels ran by a counter on the device, and which
// layers each step must have. usage: graphs KIND...
//
// graph_windows is the same program with libprof: graphs are made and changed in a standby, and
// only launches are captured, each alone, in a trace WINDOW_OUTPUT + its step + ".db". Of many
// launches every WINDOW_STRIDE-th is. It prints what ran in its windows, and their steps.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#ifdef GRAPHS_IN_WINDOWS
#include <prof/prof.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "graphs: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}
#define CHECK(call) check((call), #call)

constexpr int kSlots = 2048;

/// Counts itself by its number of blocks.
__global__ void marked(int* counters) {
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&counters[gridDim.x], 1);
}

/// The same, and decides whether a loop goes on: `limit` rounds in each launch.
__global__ void marked_loop(int* counters, cudaGraphConditionalHandle handle, int* rounds,
                            int limit) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  atomicAdd(&counters[gridDim.x], 1);
  const bool goes_on = ++*rounds < limit;
  if (!goes_on) *rounds = 0;
  cudaGraphSetConditional(handle, goes_on ? 1 : 0);
}

#ifdef GRAPHS_IN_WINDOWS
/// A capture of its own.
class Window {
 public:
  explicit Window(const std::string& output) {
    CHECK(cudaDeviceSynchronize());
    prof_options options = PROF_OPTIONS_INIT;
    options.output = output.c_str();
    if (prof_start(&options) != PROF_OK) fail();
  }
  ~Window() {
    if (prof_stop() != PROF_OK) fail();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  static void fail() {
    std::fprintf(stderr, "graph_windows: %s\n", prof_last_error());
    std::exit(3);
  }
};
#endif

struct Range {
  explicit Range(const std::string& text) { nvtxRangePushA(text.c_str()); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

std::string layer(int slot) { return "layer:L" + std::to_string(slot); }

using Slots = std::vector<int>;

class Program {
 public:
  Program() {
#ifdef GRAPHS_IN_WINDOWS
    if (prof_standby() != PROF_OK) Window::fail();
    const char* stride = std::getenv("WINDOW_STRIDE");
    if (stride != nullptr) stride_ = std::atoi(stride);
    const char* output = std::getenv("WINDOW_OUTPUT");
    if (output != nullptr) output_ = output;
#endif
    CHECK(cudaMalloc(&counters_, sizeof(int) * kSlots));
    CHECK(cudaMemset(counters_, 0, sizeof(int) * kSlots));
    CHECK(cudaMalloc(&rounds_, sizeof(int)));
    CHECK(cudaMemset(rounds_, 0, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
  }

  /// A graph captured from a stream, one kernel a slot.
  cudaGraph_t capture(const Slots& slots, cudaStream_t stream) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (const int slot : slots) {
      const Range range(layer(slot));
      marked<<<slot, 32, 0, stream>>>(counters_);
    }
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
  }
  cudaGraph_t capture(const Slots& slots) { return capture(slots, stream_); }

  cudaKernelNodeParams params(int slot) {
    static thread_local void* arguments[1];
    arguments[0] = &counters_;
    cudaKernelNodeParams made{};
    made.func = reinterpret_cast<void*>(marked);
    made.gridDim = dim3(static_cast<unsigned>(slot));
    made.blockDim = dim3(32);
    made.kernelParams = arguments;
    return made;
  }

  cudaGraphNode_t add(cudaGraph_t graph, int slot, const std::vector<cudaGraphNode_t>& after = {}) {
    const Range range(layer(slot));
    const cudaKernelNodeParams node = params(slot);
    cudaGraphNode_t made = nullptr;
    CHECK(cudaGraphAddKernelNode(&made, graph, after.data(), after.size(), &node));
    return made;
  }

  static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t made = nullptr;
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    return made;
  }

  /// A launch in a step of its own, which runs these slots.
  void launch(cudaGraphExec_t exec, const Slots& slots, cudaStream_t stream) {
    const auto [step, is_seen] = new_step(slots);
#ifdef GRAPHS_IN_WINDOWS
    if (!is_seen) return put_work(exec, step, stream);
    const std::vector<int> before = counts();
    {
      const Window window(output_ + std::to_string(step) + ".db");
      put_work(exec, step, stream);
    }
    const std::vector<int> after = counts();
    for (int slot = 0; slot < kSlots; ++slot) seen_[slot] += after[slot] - before[slot];
#else
    put_work(exec, step, stream);
#endif
  }
  void launch(cudaGraphExec_t exec, const Slots& slots) { launch(exec, slots, stream_); }

  static void destroy(cudaGraphExec_t exec) { CHECK(cudaGraphExecDestroy(exec)); }
  static void destroy(cudaGraph_t graph) { CHECK(cudaGraphDestroy(graph)); }

  void synchronize() { CHECK(cudaDeviceSynchronize()); }

  void print() {
#ifdef GRAPHS_IN_WINDOWS
    const std::vector<int>& ran = seen_;
#else
    const std::vector<int> ran = counts();
#endif
    std::printf("{\"counts\": {");
    const char* separator = "";
    for (int slot = 1; slot < kSlots; ++slot) {
      if (ran[slot] == 0) continue;
      std::printf("%s\"%d\": %d", separator, slot, ran[slot]);
      separator = ", ";
    }
    std::printf("}, \"steps\": {");
    separator = "";
    for (const auto& [step, slots] : steps_) {
      std::printf("%s\"%d\": [", separator, step);
      separator = "";
      for (const int slot : slots) {
        std::printf("%s%d", separator, slot);
        separator = ", ";
      }
      std::printf("]");
      separator = ", ";
    }
    std::printf("}}\n");
  }

  void captured();
  void added();
  void children();
  void clones();
  void conditional();
  void loops();
  void memory();
  void updates();
  void parameters();
  void again();
  void threads();

 private:
  /// Its number, and whether a capture sees it.
  std::pair<int, bool> new_step(const Slots& slots) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int step = ++last_step_;
    const bool is_seen = (step - 1) % stride_ == 0;
    if (is_seen) steps_[step] = slots;
    return {step, is_seen};
  }

  static void put_work(cudaGraphExec_t exec, int step, cudaStream_t stream) {
    const Range range("step:" + std::to_string(step));
    const Range serving("layer:serve");
    CHECK(cudaGraphLaunch(exec, stream));
  }

  /// How often each slot has run.
  std::vector<int> counts() {
    synchronize();
    std::vector<int> read(kSlots);
    CHECK(cudaMemcpy(read.data(), counters_, sizeof(int) * kSlots, cudaMemcpyDeviceToHost));
    return read;
  }

  int* counters_ = nullptr;
  int* rounds_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::mutex mutex_;
  int last_step_ = 0;
  int stride_ = 1;
  std::map<int, Slots> steps_;  // that a capture sees
#ifdef GRAPHS_IN_WINDOWS
  std::string output_;
  std::vector<int> seen_ = std::vector<int>(kSlots);
#endif
};

/// Two branches, launched several times without waiting.
void Program::captured() {
  cudaStream_t other = nullptr;
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t fork = nullptr, join = nullptr;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(fork, stream_));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  for (const int slot : {1, 2, 3}) {
    const Range range(layer(slot));
    marked<<<slot, 32, 0, slot == 2 ? other : stream_>>>(counters_);
  }
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream_, join, 0));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream_, &graph));
  const cudaGraphExec_t exec = instantiate(graph);
  destroy(graph);
  for (int i = 0; i < 5; ++i) launch(exec, {1, 2, 3});
  synchronize();
  destroy(exec);
}

void Program::added() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = add(graph, 11);
  add(graph, 12, {first});
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, {11, 12});
  launch(exec, {11, 12});
}

/// A child twice, a child in a child, and another child put into the executable.
void Program::children() {
  const cudaGraph_t child = capture({21, 22});
  cudaGraph_t middle = nullptr, parent = nullptr;
  CHECK(cudaGraphCreate(&middle, 0));
  cudaGraphNode_t inner = nullptr, first = nullptr, second = nullptr, third = nullptr;
  const cudaGraphNode_t begin = add(middle, 23);
  CHECK(cudaGraphAddChildGraphNode(&inner, middle, &begin, 1, child));
  add(middle, 24, {inner});
  CHECK(cudaGraphCreate(&parent, 0));
  const cudaGraphNode_t top = add(parent, 25);
  CHECK(cudaGraphAddChildGraphNode(&first, parent, &top, 1, child));
  const cudaGraphNode_t between = add(parent, 26, {first});
  CHECK(cudaGraphAddChildGraphNode(&second, parent, &between, 1, middle));
  CHECK(cudaGraphAddChildGraphNode(&third, parent, &top, 1, child));
  add(parent, 27, {second, third});
  const cudaGraphExec_t exec = instantiate(parent);
  const Slots all = {25, 21, 22, 26, 23, 21, 22, 24, 21, 22, 27};
  launch(exec, all);
  launch(exec, all);
  const cudaGraph_t other = capture({28, 29});
  CHECK(cudaGraphExecChildGraphNodeSetParams(exec, first, other));
  launch(exec, {25, 28, 29, 26, 23, 21, 22, 24, 21, 22, 27});
  // A copy of it all, after the parts are gone.
  cudaGraph_t copy = nullptr;
  CHECK(cudaGraphClone(&copy, parent));
  for (const cudaGraph_t gone : {child, middle, parent, other}) destroy(gone);
  const cudaGraphExec_t again = instantiate(copy);
  launch(again, all);
  synchronize();
}

void Program::clones() {
  const cudaGraph_t graph = capture({31, 32});
  cudaGraph_t copy = nullptr;
  CHECK(cudaGraphClone(&copy, graph));
  destroy(graph);
  const cudaGraphExec_t exec = instantiate(copy);
  launch(exec, {31, 32});
}

/// IF that is taken and one that is not, and SWITCH with an IF inside, between other kernels.
void Program::conditional() {
  const auto node = [](cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalNodeType type,
                       unsigned initial, unsigned size, cudaGraphNode_t& made) {
    cudaGraphConditionalHandle handle{};
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, initial, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CHECK(cudaGraphAddNode(&made, graph, &after, nullptr, 1, &params));
    return std::vector<cudaGraph_t>(params.conditional.phGraph_out,
                                    params.conditional.phGraph_out + size);
  };
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t at = add(graph, 41);
  cudaGraphNode_t inside = nullptr;
  inside = add(node(graph, at, cudaGraphCondTypeIf, 1, 1, at)[0], 42);
  add(node(graph, at, cudaGraphCondTypeIf, 0, 1, at)[0], 43);
  const std::vector<cudaGraph_t> cases = node(graph, at, cudaGraphCondTypeSwitch, 1, 3, at);
  add(cases[0], 44);
  inside = add(cases[1], 45);
  add(node(cases[1], inside, cudaGraphCondTypeIf, 1, 1, inside)[0], 46);
  add(cases[2], 47);
  add(graph, 48, {at});
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 20; ++i) launch(exec, {41, 42, 45, 46, 48});
  synchronize();
}

/// A loop of three rounds after another kernel, whose body was captured; then one that runs nothing
/// else.
void Program::loops() {
  for (const bool is_alone : {false, true}) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle{};
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t loop = nullptr;
    const cudaGraphNode_t before = is_alone ? nullptr : add(graph, 51);
    CHECK(cudaGraphAddNode(&loop, graph, &before, nullptr, is_alone ? 0 : 1, &params));
    CHECK(cudaStreamBeginCaptureToGraph(stream_, params.conditional.phGraph_out[0], nullptr,
                                        nullptr, 0, cudaStreamCaptureModeThreadLocal));
    {
      const Range range(layer(52));
      marked<<<52, 32, 0, stream_>>>(counters_);
    }
    {
      const Range range(layer(53));
      marked_loop<<<53, 32, 0, stream_>>>(counters_, handle, rounds_, 3);
    }
    cudaGraph_t body = nullptr;
    CHECK(cudaStreamEndCapture(stream_, &body));
    const cudaGraphExec_t exec = instantiate(graph);
    Slots slots = {52, 53, 52, 53, 52, 53};
    if (!is_alone) slots.insert(slots.begin(), 51);
    for (int i = 0; i < 10; ++i) launch(exec, slots);
    synchronize();
  }
}

void Program::memory() {
  CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  int* temporary = nullptr;
  CHECK(cudaMallocAsync(&temporary, 1 << 20, stream_));
  {
    const Range range(layer(61));
    CHECK(cudaMemsetAsync(temporary, 0, 1 << 20, stream_));
    marked<<<61, 32, 0, stream_>>>(counters_);
    CHECK(cudaMemcpyAsync(temporary, counters_, 4096, cudaMemcpyDeviceToDevice, stream_));
  }
  CHECK(cudaFreeAsync(temporary, stream_));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream_, &graph));
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 3; ++i) launch(exec, {61});
}

/// A thousand updates, each to another layer, between launches that nobody waits for.
void Program::updates() {
  cudaGraph_t graph = capture({1000, 1001});
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, {1000, 1001});
  for (int i = 1; i <= 1000; ++i) {
    const cudaGraph_t next = capture({1000 + i, 1001 + i});
    cudaGraphExecUpdateResultInfo result{};
    CHECK(cudaGraphExecUpdate(exec, next, &result));
    destroy(next);
    launch(exec, {1000 + i, 1001 + i});
  }
  // A graph of another shape is refused, and changes nothing.
  const cudaGraph_t unlike = capture({71, 72, 73});
  cudaGraphExecUpdateResultInfo result{};
  if (cudaGraphExecUpdate(exec, unlike, &result) == cudaSuccess) std::exit(4);
  static_cast<void>(cudaGetLastError());
  launch(exec, {2000, 2001});
  synchronize();
  destroy(graph);
}

/// Parameters of an executable's node, then of the graph's node, which is instantiated again.
void Program::parameters() {
  const cudaGraph_t graph = capture({81, 82});
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, {81, 82});
  cudaGraphNode_t nodes[2];
  std::size_t count = 2;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  {
    const Range range(layer(83));
    const cudaKernelNodeParams changed = params(83);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &changed));
  }
  launch(exec, {83, 82});
  CHECK(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
  launch(exec, {83});
  {
    const Range range(layer(84));
    const cudaKernelNodeParams changed = params(84);
    CHECK(cudaGraphKernelNodeSetParams(nodes[1], &changed));
  }
  const cudaGraphExec_t again = instantiate(graph);
  launch(again, {81, 84});
  synchronize();
}

/// Graphs made, run and destroyed again and again.
void Program::again() {
  for (int i = 0; i < 50; ++i) {
    const cudaGraph_t graph = capture({91 + i, 92 + i});
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, {91 + i, 92 + i});
    destroy(graph);
    destroy(exec);
  }
}

/// Each thread has an executable and a stream of its own, and updates it.
void Program::threads() {
  std::vector<std::thread> all;
  for (int thread = 0; thread < 4; ++thread) {
    all.emplace_back([this, thread] {
      cudaStream_t stream = nullptr;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      const int base = 200 + 100 * thread;
      const cudaGraphExec_t exec = instantiate(capture({base, base + 1}, stream));
      launch(exec, {base, base + 1}, stream);
      for (int i = 1; i < 90; ++i) {
        const cudaGraph_t next = capture({base + i, base + i + 1}, stream);
        cudaGraphExecUpdateResultInfo result{};
        CHECK(cudaGraphExecUpdate(exec, next, &result));
        launch(exec, {base + i, base + i + 1}, stream);
      }
    });
  }
  for (std::thread& one : all) one.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (Program::*)()> kinds = {
      {"captured", &Program::captured},       {"added", &Program::added},
      {"children", &Program::children},       {"clones", &Program::clones},
      {"conditional", &Program::conditional}, {"loops", &Program::loops},
      {"memory", &Program::memory},           {"updates", &Program::updates},
      {"parameters", &Program::parameters},   {"again", &Program::again},
      {"threads", &Program::threads},
  };
  Program program;
  for (int i = 1; i < argc; ++i) {
    const auto kind = kinds.find(argv[i]);
    if (kind == kinds.end()) {
      std::fprintf(stderr, "graphs: unknown kind %s\n", argv[i]);
      return 2;
    }
    (program.*kind->second)();
  }
  program.print();
  return 0;
}
