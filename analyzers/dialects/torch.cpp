// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch's emit_nvtx writes (torch/csrc/profiler/util.cpp, getNvtxStr), torch 1.x to 2.11:
//
//     NAME[, seq = N][, op_id = M][, sizes = [[2, 3], [], ..]][, input_op_ids = [(12,0), (0,-1),
//     ..]]
//
// Until 1.4 `, seq=N`, and `, stashed seq=N` in backward nodes; until 1.6 ops had no `aten::`.
//
// The text is read as a template, with numbers taken out (libprof/source/text_template.hpp); sizes
// stay in it. Strict: a text not exactly of this form is another dialect's. docs/dialects.md
// explains the names.
#include <charconv>
#include <functional>
#include <utility>

#include "analyzers/dialects/framework_op.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/dialects/words.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "libprof/source/text_template.hpp"

namespace prof::dialects {
namespace {

constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxArguments = 65'536;  // foreach ops have hundreds
constexpr int kMaxListDepth = 8;

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
constexpr std::string_view kCopySlices = "CopySlices";
constexpr std::string_view kAccumulate = "AccumulateGrad";
/// torch.utils.checkpoint with use_reentrant=True reruns what it wraps inside its node.
constexpr std::string_view kCheckpoint = "CheckpointFunction";
constexpr std::string_view kOptimizer = "Optimizer.";
constexpr std::string_view kFsdp = "FSDP::";

constexpr std::string_view kSeqForms[] = {", seq = ", ", seq=", ", stashed seq="};

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// The fields after the name.
class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}

  std::vector<Shape> sizes;  // one per argument, lists of tensors flattened
  bool has_sizes = false;
  int seq = GraphTies::kNoNumber;
  int op_id = GraphTies::kNoNumber;
  int inputs = GraphTies::kNoNumber;

  /// False if anything does not match the form.
  bool read() {
    for (const std::string_view form : kSeqForms) {
      if (!take(rest_, form)) continue;
      if (!number(seq)) return false;
      break;
    }
    if (take(rest_, ", op_id = ") && !number(op_id)) return false;
    if (take(rest_, ", sizes = ")) {
      has_sizes = true;
      if (!take(rest_, "[") || !arguments(0)) return false;
    }
    if (take(rest_, ", input_op_ids = ") && !input_ids()) return false;
    return rest_.empty();
  }

 private:
  bool number(int& place) {
    if (rest_.empty() || rest_.front() != kNumberPlace) return false;
    rest_.remove_prefix(1);
    place = places_++;
    return true;
  }

  /// Up to the bracket that closes a list of shapes or nested lists of shapes.
  bool arguments(int depth) {
    if (take(rest_, "]")) return true;
    do {
      if (!take(rest_, "[")) return false;
      if (rest_.starts_with('[')) {
        if (depth >= kMaxListDepth || !arguments(depth + 1)) return false;
      } else if (!shape()) {
        return false;
      }
    } while (take(rest_, ", "));
    return take(rest_, "]");
  }

  bool shape() {
    if (sizes.size() >= kMaxArguments) return false;
    Shape& made = sizes.emplace_back();
    if (take(rest_, "]")) return true;
    do {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{} || size < 0 || made.size() >= kMaxRank) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      made.push_back(size);
    } while (take(rest_, ", "));
    return take(rest_, "]");
  }

  bool input_ids() {
    if (!take(rest_, "[")) return false;
    if (take(rest_, "]")) return true;
    do {
      if (take(rest_, "(0,-1)")) continue;
      int place = 0;
      if (!take(rest_, "(") || !number(place) || !take(rest_, ",")) return false;
      if (inputs == GraphTies::kNoNumber) inputs = place;
      const std::size_t end = rest_.find(')');
      if (end == std::string_view::npos || !whole_number(rest_.substr(0, end))) return false;
      rest_.remove_prefix(end + 1);
    } while (take(rest_, ", "));
    return take(rest_, "]");
  }

  std::string_view rest_;
  int places_ = 0;
};

/// Where the fields begin: names may contain commas.
std::size_t name_size(std::string_view text) {
  std::size_t end = text.size();
  for (const std::string_view field : {", op_id = ", ", sizes = ", ", input_op_ids = "}) {
    end = std::min(end, text.find(field));
  }
  for (const std::string_view form : kSeqForms) end = std::min(end, text.find(form));
  return end;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "AddmmBackward0" gives "Addmm"; empty if it is not the name of a backward node.
std::string_view node_of(std::string_view name) {
  constexpr std::string_view kTorch = "torch::autograd::";
  const bool is_torchs = name.starts_with(kTorch);
  if (is_torchs) name.remove_prefix(kTorch.size());
  // Nodes of copy_(), of ops that modify a view in place, of the program's C++ functions.
  if (is_torchs && name == "CopyBackwards") return "Copy";
  if (is_torchs && name == kCopySlices) return name;
  constexpr std::string_view kOfProgram = "CppNode<";
  if (is_torchs && name.starts_with(kOfProgram) && name.ends_with('>')) {
    name.remove_suffix(1);
    const std::size_t colons = name.rfind("::");
    name.remove_prefix(colons == std::string_view::npos ? kOfProgram.size() : colons + 2);
    return name;
  }
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  constexpr std::string_view kBackward = "Backward";
  if (!name.ends_with(kBackward) || name.find("::") != std::string_view::npos) return {};
  name.remove_suffix(kBackward.size());
  return name;
}

/// "aten::_to_copy" and "ToCopy" give the same.
std::uint64_t kinship(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  if (colons != std::string_view::npos) name.remove_prefix(colons + 2);
  constexpr std::string_view kForward = "_forward";
  if (name.size() > kForward.size() && name.ends_with(kForward)) {
    name.remove_suffix(kForward.size());
  }
  std::string plain;
  for (const char c : name) {
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::hash<std::string>{}(plain) | 1;
}

/// "NativeLayerNorm" gives "native_layer_norm".
std::string snake_case(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !made.empty()) made += '_';
    made += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return made;
}

/// "Optimizer.step#AdamW.step" gives "adamw".
std::string optimizer_name(std::string_view name) {
  std::string_view type = name.substr(std::min(name.find('#') + 1, name.size()));
  type = type.substr(0, type.rfind('.'));
  std::string made;
  for (const char c : type) made += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return made;
}

class Torch final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "torch"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    // A text without numbers is the name of a torch op, or not in this dialect.
    return range.default_domain ? read(range.text) : std::nullopt;
  }

  [[nodiscard]] std::optional<RangeMeaning> parse_template(const RangeText& range) const override {
    return range.default_domain ? read(range.text) : std::nullopt;
  }

 private:
  static std::optional<RangeMeaning> read(std::string_view text) {
    const std::string_view name = text.substr(0, name_size(text));
    const bool bare = name.size() == text.size();
    if (name.empty() || (bare && !is_ours(name))) return std::nullopt;
    Fields fields(text.substr(name.size()));
    if (!fields.read()) return std::nullopt;

    RangeMeaning meaning;
    meaning.ties.seq_at = fields.seq;
    meaning.ties.op_id_at = fields.op_id;
    meaning.ties.input_at = fields.inputs;
    if (name.starts_with(kEvaluate)) {
      meaning.what = NodeEvaluation{node(name.substr(kEvaluate.size()))};
    } else if (is_node(name)) {
      meaning.what = node(name);
      meaning.ties.kinship = kinship(node_of(name));
      meaning.ties.seq_ahead = node_of(name) == kCopySlices ? 1 : 0;
    } else if (name.starts_with(kOptimizer)) {
      meaning.what = framework_op(optimizer(name), false);
    } else if (name.starts_with(kFsdp)) {
      meaning.what = fsdp(name);
    } else if (const auto step = number_after(name, "ProfilerStep#")) {
      meaning.what = StepNumber{*step};
    } else if (!is_ours(name) && fields.seq == GraphTies::kNoNumber && !fields.has_sizes) {
      meaning.what = PlainName{std::string(name)};  // the program's record_function()
    } else {
      meaning.what = framework_op(describe(name, fields), fields.seq != GraphTies::kNoNumber);
      meaning.ties.kinship = kinship(name);
    }
    return meaning;
  }

  static bool is_ours(std::string_view name) {
    // "nccl:coalesced" has neither number nor sizes.
    return name.starts_with("aten::") || name.starts_with(kEvaluate) ||
           name.starts_with("torch::autograd::") || name.starts_with("nccl:") ||
           name.starts_with(kFsdp);
  }

  static bool is_node(std::string_view name) {
    return name.ends_with(kAccumulate) || !node_of(name).empty();
  }

  /// What a node's name tells.
  static BackwardNode node(std::string_view name) {
    BackwardNode made;
    made.accumulates = name.ends_with(kAccumulate);
    made.reruns_ops = node_of(name) == kCheckpoint;
    OpDesc forward;
    forward.module = "torch";
    forward.op = made.accumulates ? "accumulate_grad" : snake_case(node_of(name));
    made.forward = std::make_shared<const OpDesc>(std::move(forward));
    return made;
  }

  /// Where fully_shard gathers and reduces; the last part runs in a callback, outside of nodes.
  static Meaning fsdp(std::string_view name) {
    if (name.find("backward") == std::string_view::npos) return NoMeaning{};
    OpDesc all;
    all.direction = Direction::kBprop;
    return OpAttributes{std::make_shared<const OpDesc>(std::move(all))};
  }

  static OpDesc optimizer(std::string_view name) {
    OpDesc op;
    op.module = "Optimizer";
    op.op = name.starts_with("Optimizer.zero_grad#") ? "zero_grad" : optimizer_name(name);
    op.direction = Direction::kUpdate;
    if (op.op.empty()) op.op = name;
    return op;
  }

  static OpDesc describe(std::string_view name, const Fields& fields) {
    OpDesc op;
    const std::size_t colons = name.rfind("::");
    op.module = colons == std::string_view::npos ? "torch" : name.substr(0, colons);
    op.op = name;
    if (colons == std::string_view::npos && !ops::aten_argument_names(name).empty()) {
      op.module = "aten";
      op.op = "aten::" + op.op;
    }
    op.tensors = ops::aten_tensors(name, fields.sizes).tensors;
    return op;
  }
};

}  // namespace

void register_torch(Registry& registry);
void register_torch(Registry& registry) { registry.add(std::make_unique<Torch>()); }

}  // namespace prof::dialects
