// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports what nsys stats -r cuda_gpu_trace --format csv prints (docs/import.md): a line for each
// kernel, copy and set. Before the table, nsys may print what it does; after it, other reports.
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "libprof/model/copy_words.hpp"
#include "libprof/model/losses.hpp"
#include "libprof/source/gz_lines.hpp"
#include "tools/common/words.hpp"
#include "tools/import/builder/memory_words.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/nsys_csv/trace_columns.hpp"
#include "tools/import/registry.hpp"
#include "tools/import/tables/findings.hpp"

namespace prof::importers {
namespace nsys_csv {
namespace {

constexpr std::string_view kTable = "cuda_gpu_trace";
constexpr std::string_view kNoNumber = "with a value that is no number, kept without it";
/// More devices than any machine has are damage.
constexpr std::size_t kMaxDevices = 1024;

bool is_gpu_trace(std::string_view first_bytes) {
  CsvLine line;
  while (!first_bytes.empty()) {
    const std::size_t end = first_bytes.find('\n');
    if (line.split(first_bytes.substr(0, end)) && TraceColumns::of(line)) return true;
    if (end == std::string_view::npos) return false;
    first_bytes.remove_prefix(end + 1);
  }
  return false;
}

/// "HtoD" of "[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]".
std::string copy_word(std::string_view name) {
  constexpr std::string_view kBetween = "-to-";
  if (name.ends_with(']')) name.remove_suffix(1);
  const std::string_view word = name.substr(name.rfind(' ') + 1);
  const std::size_t to = word.find(kBetween);
  if (to == std::string_view::npos || to + kBetween.size() == word.size()) return std::string(word);
  return {word.front(), 't', 'o', word[to + kBetween.size()]};
}

/// Migrations of unified memory have kinds of their own.
std::uint8_t copy_kind(std::string_view name) {
  const std::string word = copy_word(name);
  if (name.find("Unified") == std::string_view::npos) return place_of(kCopyWords, word);
  for (const std::uint8_t kind : kMigrations) {
    if (kCopyWords[copy_place(kind)] == word) return kind;
  }
  return 0;
}

class Import {
 public:
  Import(const Source& source, RecordSink& sink)
      : source_(source),
        lines_(source.path, source.position),
        sink_(sink),
        builder_(sink, source.scratch_folder) {}

  Result<Imported> run() {
    sink_.on(MetaRecord{"imported_from", "nsys_csv"});
    PROF_TRY(read_table());
    if (!lines_.problem().empty()) return Error{lines_.problem(), source_.path, ""};
    if (taken_ == 0) return nothing_taken();
    const auto built = builder_.finish();
    if (!built) return built.error();
    report_losses();
    if (!is_cut_) sink_.on(MetaRecord{"ended", "stop"});
    PROF_TRY(sink_.status());
    return Imported{built->records, warning()};
  }

 private:
  Status read_table() {
    std::string_view text;
    while (!columns_ && lines_.next(text)) {
      if (line_.split(text)) columns_ = TraceColumns::of(line_);
    }
    while (lines_.next(text) && text.find_first_not_of(" \r") != std::string_view::npos) {
      PROF_TRY(take(text));
    }
    std::uint64_t others = 0;
    while (lines_.next(text)) others += text.find_first_not_of(" \r") != std::string_view::npos;
    if (others != 0) findings_.other_table("what follows cuda_gpu_trace", others);
    is_cut_ = is_cut_ || lines_.cut();
    return {};
  }

  Status take(std::string_view text) {
    const std::string_view problem = problem_of(text);
    if (problem.empty()) return take_row();
    if (lines_.unended()) {
      is_cut_ = true;
    } else {
      damaged(problem);
    }
    return {};
  }

  /// Why the line that is split by this is left out, or empty.
  std::string_view problem_of(std::string_view text) {
    if (!line_.split(text)) return "with a quote that does not end, left out";
    if (line_.size() != columns_->size()) {
      return "with another number of fields than the heading, left out";
    }
    const auto start = columns_->scaled(line_, Column::kStart);
    const auto duration = columns_->scaled(line_, Column::kDuration);
    if (!start || !duration) return "without a time, left out";
    if (*duration < 0) return "of a negative duration, left out";
    start_ns_ = *start;
    end_ns_ = sum_of_times(*start, *duration);
    return {};
  }

  Status take_row() {
    const std::string_view name = columns_->text(line_, Column::kName);
    if (name.starts_with("[CUDA memcpy") || name.starts_with("[CUDA Unified")) {
      return take_copy(name);
    }
    if (name.starts_with("[CUDA memset")) return take_set();
    if (name.starts_with("[CUDA ")) {
      findings_.other_row("rows that are neither kernels nor copies nor sets");
      return {};
    }
    return take_kernel(name);
  }

  Status take_kernel(std::string_view name) {
    KernelRecord record;
    fill(record);
    if (name.empty()) damaged("without a name, kept");
    if (!name.empty()) record.name = builder_.text(name);
    record.grid = dim3(Column::kGridX, Column::kGridY, Column::kGridZ);
    record.block = dim3(Column::kBlockX, Column::kBlockY, Column::kBlockZ);
    record.registers_per_thread = number(Column::kRegisters);
    record.static_shared_bytes = narrow(size(Column::kStaticShared));
    record.dynamic_shared_bytes = narrow(size(Column::kDynamicShared));
    return add(record);
  }

  Status take_copy(std::string_view name) {
    MemcpyRecord record;
    fill(record);
    record.copy_kind = copy_kind(name);
    record.source = memory_of(columns_->text(line_, Column::kSource));
    record.destination = memory_of(columns_->text(line_, Column::kDestination));
    record.peer_device = record.device;  // the table does not state another one
    record.bytes = size(Column::kBytes);
    return add(record);
  }

  Status take_set() {
    MemsetRecord record;
    fill(record);
    const std::string_view written = columns_->text(line_, Column::kDestination);
    record.memory = memory_of(written.empty() ? columns_->text(line_, Column::kSource) : written);
    record.bytes = size(Column::kBytes);
    return add(record);
  }

  void fill(GpuWork& work) {
    work.start_ns = start_ns_;
    work.end_ns = end_ns_;
    work.correlation = whole(Column::kCorrelation);
    work.device = device();
    work.context = number(Column::kContext);
    work.stream = number(Column::kStream);
  }

  template <typename Record>
  Status add(const Record& record) {
    ++taken_;
    return builder_.add(record);
  }

  /// The number of the GPU in a text such as "NVIDIA H200 (1)".
  std::uint32_t device() {
    const std::string_view text = columns_->text(line_, Column::kDevice);
    if (text.empty()) return 0;
    const auto known = devices_.find(text);
    if (known != devices_.end()) return known->second;
    const std::size_t open = text.rfind(" (");
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    if (open != std::string_view::npos && text.ends_with(')')) {
      number = tools::parse_number<std::uint64_t>(text.substr(open + 2, text.size() - open - 3))
                   .value_or(number);
    }
    if (number > std::numeric_limits<std::uint32_t>::max() || devices_.size() == kMaxDevices) {
      damaged("without the number of its GPU, taken as that of GPU 0");
      return 0;
    }
    DeviceRecord record;
    record.device = static_cast<std::uint32_t>(number);
    record.name = text.substr(0, open);
    sink_.on(record);
    return devices_[std::string(text)] = record.device;
  }

  /// Where nothing is stated, 0.
  std::uint64_t whole(Column column) {
    const auto number = columns_->whole(line_, column);
    if (!number && !columns_->text(line_, column).empty()) damaged(kNoNumber);
    return number.value_or(0);
  }
  std::uint32_t number(Column column) { return narrow(whole(column)); }
  /// All 0 if one of them is not stated.
  Dim3 dim3(Column x, Column y, Column z) {
    for (const Column column : {x, y, z}) {
      if (columns_->text(line_, column).empty()) return {0, 0, 0};
    }
    return {number(x), number(y), number(z)};
  }
  std::uint64_t size(Column column) {
    const auto bytes = columns_->scaled(line_, column);
    const bool is_stated = !columns_->text(line_, column).empty();
    if (is_stated && (!bytes || *bytes < 0)) damaged(kNoNumber);
    if (columns_->is_rounded(line_, column)) ++rounded_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes.value_or(0), 0));
  }
  std::uint32_t narrow(std::uint64_t number) {
    if (number <= std::numeric_limits<std::uint32_t>::max())
      return static_cast<std::uint32_t>(number);
    damaged(kNoNumber);
    return 0;
  }

  void damaged(std::string_view what) {
    if (findings_.damaged_rows() == 0) first_damaged_ = lines_.number();
    findings_.damaged(kTable, what);
  }

  void report_losses() {
    findings_.report(sink_);
    if (rounded_ == 0) return;
    LossRecord loss;
    loss.what = info(Loss::kRoundedSize).word;
    loss.count = rounded_;
    sink_.on(loss);
  }

  [[nodiscard]] std::string warning() const {
    std::string line = is_cut_ ? "is cut off; everything before the cut was imported" : "";
    if (const std::string damage = findings_.damage(); !damage.empty()) {
      line.append(line.empty() ? "" : "; ").append(damage);
      line.append(" (the first in line ").append(std::to_string(first_damaged_)).append(")");
    }
    return line.empty() ? line : source_.path + ": " + line;
  }

  [[nodiscard]] Error nothing_taken() const {
    if (findings_.damaged_rows() != 0) {
      return {"has no row that can be imported: " + findings_.damage(), source_.path, ""};
    }
    return {"has no kernels, copies or sets", source_.path,
            "record with nsys profile --trace=cuda"};
  }

  const Source& source_;
  GzLines lines_;
  RecordSink& sink_;
  TraceBuilder builder_;
  Findings findings_;
  std::optional<TraceColumns> columns_;
  CsvLine line_;
  std::int64_t start_ns_ = 0, end_ns_ = 0;  // of the line
  std::map<std::string, std::uint32_t, std::less<>> devices_;
  std::uint64_t taken_ = 0;
  std::uint64_t rounded_ = 0;
  std::uint64_t first_damaged_ = 0;  // the number of its line
  bool is_cut_ = false;
};

Result<Imported> import_table(const Source& source, RecordSink& sink) {
  return Import(source, sink).run();
}

}  // namespace
}  // namespace nsys_csv

void register_nsys_csv_import(Registry& registry);
void register_nsys_csv_import(Registry& registry) {
  registry.add({.name = "nsys_csv",
                .help = "table of Nsight Systems (nsys stats -r cuda_gpu_trace --format csv)",
                .sniff = nsys_csv::is_gpu_trace,
                .read = nsys_csv::import_table});
}

}  // namespace prof::importers
