// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/launch_log.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "libprof/base/ascii.hpp"
#include "libprof/model/copy_words.hpp"

namespace prof::loops {
namespace {

constexpr std::size_t kMaxLaunches = 2'000'000;

/// XLA's autotuner.
bool is_of_tuner(std::string_view kernel) {
  constexpr std::array kNames = {"RedzoneAllocator", "RepeatBuffer", "DelayKernel",
                                 "xla_fp_comparison"};
  return std::ranges::any_of(
      kNames, [&](std::string_view name) { return kernel.find(name) != std::string_view::npos; });
}

/// Names of kernels that update weights: PyTorch's for lists of tensors, and those of optimizers.
bool is_update(std::string_view kernel) {
  constexpr std::array kNames = {"multi_tensor_apply", "Adam",     "adam", "Sgd", "LAMB", "Lion",
                                 "Optimizer",          "optimizer"};
  const auto has = [&](std::string_view name) {
    return kernel.find(name) != std::string_view::npos;
  };
  if (std::ranges::any_of(kNames, has)) return true;
  for (std::size_t at = kernel.find("sgd"); at != std::string_view::npos;
       at = kernel.find("sgd", at + 1)) {
    if (at == 0 || !is_lower(kernel[at - 1])) return true;
  }
  return false;
}

std::uint64_t joined(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32U);
}

/// The times during which threads update weights, as frameworks and programs state it.
class OptimizerCalls {
 public:
  OptimizerCalls(TraceReader& reader, const dialects::Registry& dialects) {
    reader.thread_ranges(
        [&](DomainId domain, std::string_view text) {
          const auto meaning = dialects.parse({text, {}, domain == kDefaultDomain});
          if (const auto* op = meaning.as<FrameworkOp>()) return op->is_step;
          const auto* const op = meaning.as<StatedOp>();
          return op != nullptr && op->op->direction == Direction::kUpdate;
        },
        [this](const TextRangeRow& range) {
          calls_[range.thread.value].push_back({range.start_ns, range.end_ns.value_or(INT64_MAX)});
        });
    for (auto& [thread, calls] : calls_) {
      std::ranges::sort(calls);
      // Of nested ones the outer one ends last.
      for (std::size_t i = 1; i < calls.size(); ++i) {
        calls[i].second = std::max(calls[i].second, calls[i - 1].second);
      }
    }
  }

  [[nodiscard]] bool holds(const GpuRow& row) const {
    const auto thread = calls_.find(row.thread.value);
    if (thread == calls_.end()) return false;
    const auto& calls = thread->second;
    const auto after = std::ranges::upper_bound(calls, std::pair{row.launch_start_ns, INT64_MAX});
    return after != calls.begin() && row.launch_start_ns < (after - 1)->second;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> calls_;
};

bool is_copy(const GpuRow& row, std::string_view word) {
  return row.kind == GpuRow::Kind::kMemcpy && kCopyWords[copy_place(row.copy_kind)] == word;
}

class Log {
 public:
  Log(TraceReader& reader, const dialects::Registry& dialects)
      : reader_(reader), optimizers_(reader, dialects) {}

  void add(const GpuRow& row) {
    if (!row.launched) return;
    if (row.graph_node != 0) return add_node(row);
    end_graph();
    Launch launch = launch_of(row);
    launch.symbol = symbol_of(key_of(row));
    launch.name = row.kind == GpuRow::Kind::kKernel ? symbol_of(name_key_of(row)) : launch.symbol;
    keep(launch);
  }

  Result<LaunchLog> take() {
    end_graph();
    forget_first(kMaxLaunches);
    log_.launches.shrink_to_fit();
    std::ranges::stable_sort(log_.launches, {}, &Launch::time_ns);
    PROF_TRY(note_waits());
    number_symbols();
    return std::move(log_);
  }

 private:
  struct Kernel {
    bool is_known = false, updates = false, tunes = false;
    StringId name{};
    std::uint64_t key = 0;
  };

  const Kernel& kernel_of(ConfigId id) {
    Kernel& kernel = kernels_[id.value];
    if (kernel.is_known) return kernel;
    const LaunchConfig& config = reader_.config(id);
    const std::string_view name = reader_.string(config.name);
    kernel = {true, is_update(name), is_of_tuner(name), config.name, 1};
    for (const std::uint64_t value :
         {std::uint64_t{config.name.value}, std::uint64_t{config.grid.x},
          std::uint64_t{config.grid.y}, std::uint64_t{config.grid.z}, std::uint64_t{config.block.x},
          std::uint64_t{config.block.y}, std::uint64_t{config.block.z}}) {
      kernel.key = joined(kernel.key, value);
    }
    return kernel;
  }

  std::uint64_t key_of(const GpuRow& row) {
    if (row.kind == GpuRow::Kind::kKernel) return joined(kernel_of(row.config).key, row.graph);
    // Sizes of copies change with the data.
    std::uint64_t digits = 0;
    for (std::uint64_t bytes = row.bytes; bytes > 0; bytes /= 10) ++digits;
    return joined(joined(static_cast<std::uint64_t>(row.kind) + 1, row.copy_kind), digits);
  }

  std::uint64_t name_key_of(const GpuRow& row) {
    return joined(2, kernel_of(row.config).name.value);
  }

  Launch launch_of(const GpuRow& row) {
    const bool is_kernel = row.kind == GpuRow::Kind::kKernel;
    const Kernel kernel = is_kernel ? kernel_of(row.config) : Kernel{};
    return {.time_ns = row.launch_start_ns,
            .stack = row.stack,
            .thread = row.thread.value,
            .has_kernel = is_kernel,
            .updates = kernel.updates || optimizers_.holds(row),
            .reads_back = is_copy(row, "DtoH"),
            .sends = is_copy(row, "HtoD"),
            .tunes = kernel.tunes};
  }

  /// Nodes of a graph come in changing order, and their grids with the graph's data.
  void add_node(const GpuRow& row) {
    if (nodes_.empty() || row.launch != graph_launch_) {
      end_graph();
      graph_ = launch_of(row);
      graph_launch_ = row.launch;
    }
    const Launch node = launch_of(row);
    graph_.has_kernel |= node.has_kernel;
    graph_.updates |= node.updates;
    graph_.reads_back |= node.reads_back;
    graph_.sends |= node.sends;
    nodes_.push_back(node.has_kernel ? name_key_of(row) : key_of(row));
  }

  void end_graph() {
    if (nodes_.empty()) return;
    std::ranges::sort(nodes_);
    std::uint64_t key = 3;
    for (const std::uint64_t node : nodes_) key = joined(key, node);
    graph_.symbol = graph_.name = symbol_of(key);
    graph_.work = static_cast<std::uint32_t>(nodes_.size());
    nodes_.clear();
    keep(graph_);
  }

  std::uint32_t symbol_of(std::uint64_t key) {
    const auto next = static_cast<std::uint32_t>(symbols_.size());
    return symbols_.try_emplace(key, next).first->second;
  }

  void keep(const Launch& launch) {
    log_.launches.push_back(launch);
    if (log_.launches.size() >= kMaxLaunches * 3 / 2) forget_first(kMaxLaunches);
  }

  /// Calls that wait for all work launched before.
  Status note_waits() {
    const auto calls = reader_.synchronizations();
    while (const SyncRow* const call = calls->next()) {
      if (!call->start_ns || call->type == SyncRecord::Type::kStreamWaitEvent) continue;
      const auto after =
          std::ranges::upper_bound(log_.launches, *call->start_ns, {}, &Launch::time_ns);
      if (after != log_.launches.begin()) (after - 1)->is_awaited = true;
    }
    return calls->status();
  }

  /// From 0, those of the launches that are kept.
  void number_symbols() {
    std::vector<std::uint32_t> numbers(symbols_.size(), UINT32_MAX);
    const auto number = [&](std::uint32_t& symbol) {
      if (numbers[symbol] == UINT32_MAX) numbers[symbol] = log_.symbols++;
      symbol = numbers[symbol];
    };
    for (Launch& launch : log_.launches) {
      number(launch.symbol);
      number(launch.name);
    }
  }

  void forget_first(std::size_t kept) {
    if (log_.launches.size() <= kept) return;
    const std::size_t forgotten = log_.launches.size() - kept;
    log_.left_out += forgotten;
    log_.launches.erase(log_.launches.begin(),
                        log_.launches.begin() + static_cast<std::ptrdiff_t>(forgotten));
  }

  TraceReader& reader_;
  OptimizerCalls optimizers_;
  std::unordered_map<std::uint32_t, Kernel> kernels_;         // by launch configuration
  std::unordered_map<std::uint64_t, std::uint32_t> symbols_;  // by key
  Launch graph_;                                              // whose nodes are being read
  Correlation graph_launch_ = 0;
  std::vector<std::uint64_t> nodes_;  // its nodes' keys
  LaunchLog log_;
};

}  // namespace

Result<LaunchLog> read_launches(TraceReader& reader, const dialects::Registry& dialects) {
  Log log(reader, dialects);
  const auto work = reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* const row = work->next()) log.add(*row);
  PROF_TRY(work->status());
  return log.take();
}

}  // namespace prof::loops
