// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the texts of PyTorch's emit_nvtx (torch/csrc/profiler/util.cpp, getNvtxStr), torch 1.x to
// 2.11:
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
#include <utility>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/dialects/torch_call.hpp"
#include "analyzers/dialects/words.hpp"
#include "libprof/source/text_template.hpp"

namespace prof::dialects {
namespace {

constexpr int kMaxListDepth = 8;

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
    if (name.empty() || (bare && !is_torch_name(name))) return std::nullopt;
    Fields fields(text.substr(name.size()));
    if (!fields.read()) return std::nullopt;

    TorchCall call;
    call.name = name;
    call.has_seq = fields.seq != GraphTies::kNoNumber;
    call.has_sizes = fields.has_sizes;
    call.sizes = std::move(fields.sizes);
    RangeMeaning meaning = torch_meaning(call);
    meaning.ties.seq_at = fields.seq;
    meaning.ties.op_id_at = fields.op_id;
    meaning.ties.input_at = fields.inputs;
    return meaning;
  }
};

}  // namespace

void register_torch(Registry& registry);
void register_torch(Registry& registry) { registry.add(std::make_unique<Torch>()); }

}  // namespace prof::dialects
