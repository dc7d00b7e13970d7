// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// XLA's ranges, in its NVTX domain "TSL" (github.com/openxla/xla,
// xla/backends/gpu/runtime/annotation.cc; xla/service/gpu/ before 2025): one around a run of
// a program, and in it one for each op that it launches or puts into a command buffer:
//   XlaModule:#prefix=jit(train_step),hlo_module=jit_train_step,program_id=12#
//   Thunk:#name=jvp(GPT)/block_0/attn/dot_general,hlo_op=gemm_fusion_dot.3,unique_hlo_op_id=7#
// `name` is what JAX calls the operation, or what it calls all that were fused have in common,
// without the program's prefix. A payload has the op as HLO and what it was fused from.
#include <algorithm>
#include <utility>

#include "analyzers/dialects/hlo_names.hpp"
#include "analyzers/dialects/hlo_text.hpp"
#include "analyzers/dialects/jax_names.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/xla_ops.hpp"
#include "libprof/base/word_list.hpp"

namespace prof::dialects {
namespace {

constexpr std::string_view kXlaDomain = "TSL";
constexpr std::string_view kXlaProgram = "XlaModule:#";
constexpr std::string_view kXlaOp = "Thunk:#";
/// A candidate for an op is being measured, while its program is compiled.
constexpr std::string_view kXlaMeasured = "XlaAutotunerMeasurement:#";

/// They run other ops, which have ranges of their own.
constexpr std::string_view kOpcodesOfOthers =
    "call while conditional async-start async-update async-done command_buffer";
/// Work on a part of an operand, or on no operand that is stated.
constexpr std::string_view kHloOfParts =
    "gather scatter slice dynamic-slice dynamic-update-slice while custom-call";

/// The ops that library calls compute. Such an op may have the name of an op that is fused to it.
struct CallTarget {
  std::string_view begins, word;
};
constexpr CallTarget kCallTargets[] = {{"__cublas$", "dot_general"},
                                       {"__cudnn$conv", "conv_general_dilated"},
                                       {"__cudnn$fmha", "dot_product_attention"}};

/// Keys and values between '#' and '#'. A name may have commas and equal signs in it; the keys
/// after it have values without.
struct XlaFields {
  std::string_view name;  ///< Value of the first key, if that is `name_key`.
  std::string_view rest;  ///< The text after `key=`.
};

std::optional<XlaFields> read_xla_fields(std::string_view text, std::string_view name_key,
                                         std::string_view key) {
  if (!text.ends_with('#')) return std::nullopt;
  text.remove_suffix(1);
  XlaFields made;
  if (text.starts_with(name_key) && text.substr(name_key.size()).starts_with('=')) {
    text.remove_prefix(name_key.size() + 1);
    const std::size_t end = text.rfind("," + std::string(key) + "=");
    made.name = text.substr(0, end);
    if (end == std::string_view::npos) return made;
    text.remove_prefix(end + 1);
  }
  if (!text.starts_with(key) || !text.substr(key.size()).starts_with('=')) return std::nullopt;
  made.rest = text.substr(key.size() + 1);
  return made;
}

std::string_view first_value(std::string_view rest) { return rest.substr(0, rest.find(',')); }

/// The one frame in which all of the op was traced: "\n- a.py:3[f]\n-- b.py:7[g] add\n". Empty:
/// there are several.
std::string source_line(std::string_view frames) {
  std::string_view place;
  std::size_t depth = 0;
  while (!frames.empty()) {
    std::string_view line = frames.substr(0, frames.find('\n'));
    frames.remove_prefix(std::min(line.size() + 1, frames.size()));
    if (line.empty()) continue;
    const std::size_t dashes = std::min(line.find_first_not_of('-'), line.size());
    if (dashes <= depth) return {};
    depth = dashes;
    place = line.substr(dashes);
  }
  while (place.starts_with(' ')) place.remove_prefix(1);
  place = place.substr(0, place.find_first_of("[ "));
  const std::size_t line = place.find(':');
  if (line == std::string_view::npos) return {};
  return std::string(place.substr(0, place.find(':', line + 1)));
}

std::string source_line(const HloInstruction& hlo) {
  const std::string_view file = hlo.attribute("source_file");
  const std::string_view line = hlo.attribute("source_line");
  if (file.empty() || line.empty()) return {};
  return std::string(file).append(":").append(line);
}

Tensor tensor_of(const HloShape& shape, Tensor::Role role, std::string_view name) {
  return {.name = std::string(name), .role = role, .dtype = shape.dtype, .shape = shape.sizes};
}

/// The op whose parts these are. As of jaxlib 0.11 XLA states the same text for both, that of the
/// parts. Nullopt: it is no fusion, or its end is missing.
std::optional<HloInstruction> fusion_of(std::vector<HloInstruction>& parts,
                                        std::string_view instruction) {
  const auto is_root = [](const HloInstruction& part) { return part.is_root; };
  if (std::ranges::count_if(parts, is_root) != 1 || read_hlo_name(instruction).runs_others) {
    parts.clear();
    return std::nullopt;
  }
  HloInstruction made = *std::ranges::find_if(parts, is_root);
  made.name = instruction;
  made.opcode = "fusion";
  made.operands.clear();
  for (const HloInstruction& part : parts) {
    if (part.opcode == "parameter") made.operands.push_back(part.name);
  }
  return made;
}

/// Facts of the op that its HLO states and its name does not.
class HloOpReader {
 public:
  HloOpReader(const RangePayload* payload, std::string_view instruction) {
    if (payload == nullptr) return;
    hlo_ = read_hlo_instruction(payload->text("HLO"));
    if (hlo_ && hlo_->name != instruction) hlo_.reset();
    if (!hlo_ || is_fusion()) fused_ = read_hlo(payload->text("Called HLO"));
    if (!hlo_) hlo_ = fusion_of(fused_, instruction);
    if (hlo_) frames_ = payload->text("Source locations");
  }

  [[nodiscard]] bool has_hlo() const { return hlo_.has_value(); }
  [[nodiscard]] bool runs_others() const {
    return hlo_ && has_word(kOpcodesOfOthers, hlo_->opcode);
  }

  /// From the whole names in the HLO.
  [[nodiscard]] JaxOp names() const {
    const HloInstruction* product = find_product();
    const JaxName own = name_of(product != nullptr ? *product : *hlo_, !runs_others());
    std::vector<JaxName> parts;
    for (const HloInstruction& part : fused_) {
      if (product != nullptr || has_word("parameter constant", part.opcode)) continue;
      if (JaxName one = name_of(part, true); one.is_of_program) parts.push_back(std::move(one));
    }
    JaxOp made = join_jax_names(own, parts);
    if (product != nullptr) made.word = "dot_general";
    if (const std::string_view called = called_for(); !called.empty()) made.word = called;
    made.names.is_whole = true;
    made.names.source_line = source_line(*hlo_);
    if (made.names.source_line.empty()) made.names.source_line = source_line(frames_);
    return made;
  }

  void describe(OpDesc& op) const {
    if (!hlo_) return;
    if (const HloInstruction* product = find_product()) add_sizes(*product, op);
    if (hlo_->opcode == "copy" && !hlo_->results.empty()) {
      op.tensors.push_back(tensor_of(hlo_->results.front(), Tensor::Role::kIn, "x"));
    }
    add_operands(op);
    for (const HloShape& result : hlo_->results) {
      op.tensors.push_back(tensor_of(result, Tensor::Role::kOut, {}));
      // The results after the first are the library's memory.
      if (hlo_->opcode == "custom-call") break;
    }
  }

 private:
  [[nodiscard]] bool is_fusion() const { return hlo_->opcode.starts_with("fusion"); }

  /// Empty also where it is an argument's: "state['w']".
  static JaxName name_of(const HloInstruction& of, bool ends_in_primitive) {
    JaxName made = read_jax_name(of.attribute("op_name"), ends_in_primitive);
    return made.is_of_program ? made : JaxName{};
  }

  /// A fused op states the shapes of its operands inside.
  void add_operands(OpDesc& op) const {
    const std::size_t before = op.tensors.size();
    bool is_whole = true;
    for (const HloInstruction& part : fused_) {
      if (part.opcode == "parameter" && part.results.size() == 1) {
        op.tensors.push_back(tensor_of(part.results.front(), Tensor::Role::kIn, part.name));
      }
      is_whole = is_whole && !has_word(kHloOfParts, part.opcode);
    }
    // A long text is cut when it is recorded.
    is_whole = is_whole && (!is_fusion() || op.tensors.size() - before == hlo_->operands.size());
    if (!is_whole) op.attrs["parts"] = true;
  }

  [[nodiscard]] std::string_view called_for() const {
    const std::string_view target = hlo_->attribute("custom_call_target");
    for (const CallTarget& known : kCallTargets) {
      if (target.starts_with(known.begins)) return known.word;
    }
    return {};
  }

  /// The only product of the fusion. Other parts process its operands and its result. Null: there
  /// is none, or there are several.
  [[nodiscard]] const HloInstruction* find_product() const {
    const HloInstruction* found = nullptr;
    for (const HloInstruction& part : fused_) {
      if (part.opcode != "dot") continue;
      if (found != nullptr) return nullptr;
      found = &part;
    }
    return found;
  }

  void add_sizes(const HloInstruction& dot, OpDesc& op) const {
    const auto product = product_of_dot(dot, fused_);
    if (!product) return;
    op.attrs["m"] = product->gemm.m;
    op.attrs["n"] = product->gemm.n;
    op.attrs["k"] = *product->gemm.k;
    op.attrs["batch"] = product->gemm.batch;
    op.attrs["dtype"] = std::string(name(product->a.dtype));
  }

  std::optional<HloInstruction> hlo_;
  std::vector<HloInstruction> fused_;
  std::string_view frames_;
};

OpRef named_op(std::string_view word, std::string_view name_space = {}) {
  OpDesc made;
  made.module = "xla";
  made.op.append(name_space).append(word);
  return std::make_shared<const OpDesc>(std::move(made));
}

RangeMeaning malformed(std::string_view why) { return {.problem = std::string(why)}; }

class Xla final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "xla"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    if (range.default_domain || range.domain != kXlaDomain) return std::nullopt;
    const std::string_view text = range.text;
    if (text.starts_with(kXlaOp)) return read_op(text.substr(kXlaOp.size()), range.payload);
    if (text.starts_with(kXlaProgram)) return read_program(text.substr(kXlaProgram.size()));
    if (text.starts_with(kXlaMeasured)) return read_measured(text.substr(kXlaMeasured.size()));
    return std::nullopt;
  }

 private:
  static RangeMeaning read_program(std::string_view text) {
    const auto fields = read_xla_fields(text, "prefix", "hlo_module");
    const std::string_view program = fields ? first_value(fields->rest) : std::string_view();
    if (program.empty()) return malformed("XLA's range of a program has no hlo_module");
    TracedProgram made;
    made.name = program;
    made.names = join_jax_names(read_jax_name(fields->name, false), {}).names;
    return {.what = std::move(made)};
  }

  static RangeMeaning read_op(std::string_view text, const RangePayload* payload) {
    const auto fields = read_xla_fields(text, "name", "hlo_op");
    if (!fields) return malformed("XLA's range of an op has no hlo_op");
    const bool is_old = fields->rest.empty();
    const std::string_view instruction = is_old ? fields->name : first_value(fields->rest);
    const std::string_view called = is_old ? std::string_view() : fields->name;
    const HloOpReader reader(payload, instruction);
    const HloName hlo = read_hlo_name(instruction);
    JaxOp said;
    if (reader.has_hlo()) {
      said = reader.names();
    } else {
      said = join_jax_names(read_jax_name(called, !hlo.is_fused && !hlo.runs_others), {});
    }
    OpDesc op;
    op.module = "xla";
    // The model of a collective knows it by its own name.
    if (!hlo.is_collective) op.op = ops::kXlaNamespace;
    op.op += hlo.is_collective || said.word.empty() ? hlo.word : said.word;
    reader.describe(op);
    TracedOp made;
    made.op = std::make_shared<const OpDesc>(std::move(op));
    made.instruction = named_op(instruction);
    made.names = std::move(said.names);
    return {.what = std::move(made)};
  }

  static RangeMeaning read_measured(std::string_view text) {
    const auto fields = read_xla_fields(text, "name", "hlo_op");
    if (!fields) return malformed("XLA's range of a measurement has no hlo_op");
    // Whatever is run for it.
    return {.what = StatedOp{named_op("autotune"), /*is_whole=*/true}};
  }
};

}  // namespace

void register_xla(Registry& registry);
void register_xla(Registry& registry) { registry.add(std::make_unique<Xla>()); }

}  // namespace prof::dialects
