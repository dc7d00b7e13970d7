// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/inductor_code.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analyzers/compiled/argument_list.hpp"
#include "libprof/base/ascii.hpp"

namespace prof::compiled {
namespace {

/// Functions call each other less deeply.
constexpr std::size_t kMaxDepth = 32;
/// Kernels of which one runs.
constexpr std::size_t kMaxAlternatives = 64;
constexpr std::string_view kQuotes = "'''";

/// A line without its indent.
struct Line {
  std::string_view text;
  std::size_t indent = 0;
};

Line line_of(std::string_view text) {
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(indent);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return {text, indent};
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The identifier that the text begins with.
std::string_view take_word(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_word(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

/// "a, b" of "(a, b) ...", where the text begins with the bracket.
std::string_view in_brackets(std::string_view text) {
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      return text.substr(1, i - 1);
    }
  }
  return {};
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"')) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

/// "# Topologically Sorted Source Nodes: [a, b], Original ATen: [..]": a, b. Nullopt: another line.
std::optional<SourceList> source_nodes(std::string_view comment) {
  constexpr std::string_view kNodes = "Source Nodes: [";
  const std::size_t at = comment.find(kNodes);
  if (at == std::string_view::npos) return std::nullopt;
  return SourceList{split_arguments(in_brackets(comment.substr(at + kNodes.size() - 1))),
                    comment.substr(0, at).ends_with("Topologically Sorted ")};
}

/// "(4, 128), (128, 1), torch.float32" with the type anywhere after the sizes.
std::optional<Buffer> allocated(std::string_view args) {
  const std::vector<std::string_view> parts = split_arguments(args);
  if (parts.empty() || !parts[0].starts_with('(')) return std::nullopt;
  Buffer buffer;
  buffer.sizes = in_brackets(parts[0]);
  for (std::string_view part : parts) {
    take(part, "dtype=");
    if (take(part, "torch.")) buffer.dtype = parse_dtype(part);
  }
  return buffer;
}

/// "reinterpret_tensor(buf3, (512, 256), (256, 1), 0)", or "buf3", which has no sizes of its own.
struct TensorArgument {
  std::string_view buffer;
  std::optional<std::string_view> sizes;
};

TensorArgument tensor_argument(std::string_view arg) {
  if (!take(arg, "reinterpret_tensor")) return {arg, std::nullopt};
  const std::vector<std::string_view> parts = split_arguments(in_brackets(arg));
  if (parts.size() < 2) return {};
  return {parts[0], in_brackets(parts[1])};
}

/// Reads the comment above a definition.
void read_comment(const std::vector<std::string_view>& lines, const Symbols& symbols,
                  Definition& to) {
  std::size_t fragment_at = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = line_of(lines[i]).text;
    if (auto nodes = source_nodes(line)) {
      to.sources = *std::move(nodes);
    } else if (take(line, "Original path: ")) {
      to.written_at = line;
    } else if (line.starts_with("Graph fragment")) {
      fragment_at = i + 1;
      break;
    } else if (const std::size_t arrow = line.find(" => "); arrow != line.npos) {
      to.origins.push_back({line.substr(0, arrow), split_arguments(line.substr(arrow + 4))});
    }
  }
  to.fragment =
      read_fragment(std::span(lines).subspan(std::min(fragment_at, lines.size())), symbols);
}

class Reader {
 public:
  Reader(std::shared_ptr<const std::string> text, Symbols symbols) {
    code_.text = std::move(text);
    code_.symbols = std::move(symbols);
  }

  InductorCode read() && {
    std::string_view rest = *code_.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    append("call", false);
    return std::move(code_);
  }

 private:
  /// A call of the framework or a kernel, or of a function of the text.
  struct Item {
    Call call;
    std::string_view function;  // or the number of a partition

    [[nodiscard]] bool is_work() const { return call.kernel != nullptr || !call.op.empty(); }
  };

  void read_line(std::string_view whole) {
    if (kernel_ != nullptr) return read_kernel(whole);
    const Line line = line_of(whole);
    if (alternatives_ != nullptr) return read_alternatives(line.text);
    if (line.text.empty()) return;
    if (line.text.starts_with('#')) return read_comment_line(line.text.substr(1));
    leave_blocks(line);
    if (read_definition(line.text)) {
      comments_.clear();
      return;
    }
    comments_.clear();
    std::string_view text = line.text;
    if (take(text, "def ")) {
      functions_open_.push_back({line.indent, take_word(text)});
    } else if (text.starts_with("if ") || text.starts_with("else:") || text.starts_with("elif ") ||
               text.starts_with("while ") || text.starts_with("for ")) {
      branches_.push_back(line.indent);
    } else if (!functions_open_.empty()) {
      read_statement(text);
    }
  }

  void read_comment_line(std::string_view text) {
    constexpr std::string_view kDirection = " AOT ID: ['";
    if (text.starts_with(kDirection) && code_.direction == Direction::kNone) {
      code_.direction =
          text.find("_backward'") != text.npos ? Direction::kBprop : Direction::kFprop;
    }
    comments_.push_back(text);
    if (auto nodes = source_nodes(text)) sources_ = *std::move(nodes);
  }

  void leave_blocks(const Line& line) {
    while (!functions_open_.empty() && line.indent <= functions_open_.back().indent) {
      functions_open_.pop_back();
    }
    while (!branches_.empty() && line.indent <= branches_.back()) branches_.pop_back();
  }

  /// "NAME = async_compile.triton('SYMBOL', '''"
  bool read_definition(std::string_view text) {
    const std::string_view name = take_word(text);
    if (name.empty() || !take(text, " = async_compile.")) return false;
    const std::string_view kind = take_word(text);
    auto made = std::make_unique<Definition>();
    read_comment(comments_, code_.symbols, *made);
    note_inputs(made->fragment);
    sources_ = {};
    const std::size_t quotes = text.find(kQuotes);
    const bool opens = quotes != text.npos && text.find(kQuotes, quotes + 3) == text.npos;
    if (kind == "triton") {
      const std::string_view args = text.empty() ? text : text.substr(1);
      made->symbols.push_back(unquoted(args.substr(0, args.find(','))));
    } else if (kind.ends_with("multi_kernel")) {
      const std::size_t list = std::min(text.find('['), text.find('{'));
      if (list != text.npos) {
        alternatives_ = made.get();
        read_alternatives(text.substr(list + 1));
      }
    }
    if (opens) kernel_ = made.get();
    by_name_[name] = made.get();
    code_.definitions.push_back(std::move(made));
    return true;
  }

  /// "a, b], arg_index=..": kernels of which one runs, or "(8, 16): a}" by sizes, over any number
  /// of lines. They read and write the same.
  void read_alternatives(std::string_view text) {
    const std::size_t end = text.find_first_of("]}");
    for (const std::string_view one : split_arguments(text.substr(0, end))) {
      const std::size_t key = one.rfind(": ");
      const auto found = by_name_.find(key == one.npos ? one : one.substr(key + 2));
      if (found != by_name_.end()) add_alternative(*found->second, *alternatives_);
    }
    if (end != text.npos) alternatives_ = nullptr;
  }

  static void add_alternative(const Definition& one, Definition& to) {
    if (to.symbols.size() + one.symbols.size() > kMaxAlternatives) return;
    to.symbols.insert(to.symbols.end(), one.symbols.begin(), one.symbols.end());
    if (!to.parameters.empty()) return;
    to.sources = one.sources;
    to.origins = one.origins;
    to.fragment = one.fragment;
    to.parameters = one.parameters;
  }

  /// Inside the quotes of a definition.
  void read_kernel(std::string_view whole) {
    if (kernel_->fragment.nodes().empty()) kernel_->arithmetic.read(line_of(whole).text);
    std::string_view line = whole;
    if (take(line, "def ") && kernel_->parameters.empty()) {
      const std::string_view name = take_word(line);
      const bool is_it = std::ranges::find(kernel_->symbols, name) != kernel_->symbols.end();
      if (is_it || kernel_->symbols.empty()) {
        for (const std::string_view one : split_arguments(in_brackets(line))) {
          kernel_->parameters.push_back(one.substr(0, one.find_first_of(" :=")));
        }
      }
    }
    if (whole.find(kQuotes) != whole.npos) kernel_ = nullptr;
  }

  void read_statement(std::string_view text) {
    std::string_view target;
    if (const std::size_t equals = text.find(" = "); equals < text.find('(') || text[0] == '(') {
      if (equals != text.npos) {
        target = text.substr(0, equals);
        text.remove_prefix(equals + 3);
      }
    }
    if (note_buffer(target, text)) return;
    Item item;
    if (take(text, "self.partitions[")) {
      item.function = text.substr(0, text.find(']'));
      return add(std::move(item));
    }
    const std::size_t bracket = text.find('(');
    if (bracket == text.npos) return;
    const std::string_view called = text.substr(0, bracket);
    if (called.find('.') == called.npos) {
      note_assertion(called, in_brackets(text.substr(bracket)));
      item.function = called;  // if the text has such a function
      return add(std::move(item));
    }
    item.call.args = split_arguments(in_brackets(text.substr(bracket)));
    if (name_call(called, item.call)) add(std::move(item));
  }

  /// "buf1 = empty_strided_cuda(..)", "buf2 = buf1; del buf1", "buf2 = reinterpret_tensor(buf1,
  /// ..)"
  bool note_buffer(std::string_view target, std::string_view text) {
    if (target.empty()) return false;
    std::string_view rest = text;
    const std::string_view word = take_word(rest);
    if (word.starts_with("empty_strided") || word == "rand_strided") {
      if (const auto buffer = allocated(in_brackets(rest))) note(target, *buffer);
      return true;
    }
    if (word != "reinterpret_tensor" && !(rest.starts_with(';') || rest.empty())) return false;
    const TensorArgument other = tensor_argument(trimmed(text.substr(0, text.find(';'))));
    const auto known = code_.buffers.find(other.buffer);
    if (known == code_.buffers.end()) return true;
    note(target, {known->second.dtype, other.sizes.value_or(known->second.sizes)});
    return true;
  }

  /// Nodes that kernels read have the names of the graph's inputs, or of none of its buffers.
  void note_inputs(const GraphFragment& fragment) {
    for (const FragmentNode& node : fragment.nodes()) {
      if (node.target.empty() && node.type) input_types_.emplace(node.name, node.type->dtype);
    }
  }

  /// The sizes of inputs are asserted before all. Their types are those that kernels read, or of
  /// the examples at the end.
  void note(std::string_view name, const Buffer& buffer) {
    const auto [known, is_new] = code_.buffers.emplace(name, buffer);
    DType& dtype = known->second.dtype;
    if (dtype == DType::kUnknown) dtype = buffer.dtype;
    const auto input = input_types_.find(name);
    if (dtype == DType::kUnknown && input != input_types_.end()) dtype = input->second;
    code_.is_dynamic = code_.is_dynamic || (is_new && !read_sizes(buffer.sizes, {}));
  }

  /// "assert_size_stride(a, (8, 16), (16, 1))", "assert_size_stride_grouped((a, b), ((8, ), ..),
  /// .."
  void note_assertion(std::string_view called, std::string_view args) {
    constexpr std::string_view kSingle = "assert_size_stride";
    if (!called.starts_with(kSingle)) return;
    const std::vector<std::string_view> parts = split_arguments(args);
    if (parts.size() < 2) return;
    if (called == kSingle) return note(parts[0], {DType::kUnknown, in_brackets(parts[1])});
    const auto names = split_arguments(in_brackets(parts[0]));
    const auto sizes = split_arguments(in_brackets(parts[1]));
    for (std::size_t i = 0; i < std::min(names.size(), sizes.size()); ++i) {
      note(names[i], {DType::kUnknown, in_brackets(sizes[i])});
    }
  }

  /// False: no call that may launch work.
  bool name_call(std::string_view called, Call& to) {
    const std::string_view first = called.substr(0, called.find('.'));
    if (const auto known = by_name_.find(first); known != by_name_.end()) {
      to.kernel = known->second;
      return true;
    }
    std::string_view op = called;
    if (take(op, "extern_kernels.")) {
      // Names of its own for ways to call an op of ATen's.
      take(op, "bias_");
      constexpr std::string_view kTyped = "_dtype";
      if (op.ends_with(kTyped)) op.remove_suffix(kTyped.size());
      to.op = op;
      return true;
    }
    if (op.substr(first.size()) == ".copy_") {  // from the host, say
      to.op = op.substr(first.size() + 1);
      return true;
    }
    if (called.ends_with("run_with_rng_state")) {  // its arguments follow, the state may come first
      const auto is_op = [](std::string_view arg) { return arg.starts_with("torch.ops."); };
      const auto ran = std::ranges::find_if(to.args, is_op);
      if (ran == to.args.end()) return false;
      op = *ran;
      to.args.erase(to.args.begin(), ran + 1);
    }
    const bool has_prefix = take(op, "torch.ops.");
    constexpr std::array<std::string_view, 3> kLibraries = {"aten", "inductor_ops", "_quantized"};
    if (!has_prefix && std::ranges::find(kLibraries, first) == kLibraries.end()) return false;
    op.remove_prefix(std::min(op.find('.') + 1, op.size()));
    to.op = op.substr(0, op.find('.'));
    return true;
  }

  void add(Item item) {
    item.call.is_optional = !branches_.empty();
    if (item.is_work()) item.call.sources = std::exchange(sources_, {});
    auto& items = functions_[functions_open_.back().name];
    if (items.size() < kMaxSites) items.push_back(std::move(item));
  }

  /// The calls of a function, in order.
  void append(std::string_view function, bool is_optional) {
    const auto found = functions_.find(function);
    if (found == functions_.end() || appending_.size() > kMaxDepth) return;
    // Generated functions do not call themselves.
    if (std::ranges::find(appending_, found->first) != appending_.end()) return;
    appending_.push_back(found->first);
    for (const Item& item : found->second) {
      words_ += 1 + item.call.args.size() + item.call.sources.names.size();
      if (code_.calls.size() >= kMaxSites || words_ > kMaxWords) break;
      const bool optional = is_optional || item.call.is_optional;
      if (item.is_work()) {
        code_.calls.push_back(item.call);
        code_.calls.back().is_optional = optional;
      } else if (item.function.find_first_not_of("0123456789") == item.function.npos) {
        append("partition_" + std::string(item.function), optional);
      } else {
        append(item.function, optional);
      }
    }
    appending_.pop_back();
  }

  struct Function {
    std::size_t indent = 0;
    std::string_view name;
  };

  InductorCode code_;
  std::map<std::string_view, Definition*> by_name_;
  std::map<std::string_view, DType> input_types_;
  std::map<std::string_view, std::vector<Item>> functions_;
  std::vector<Function> functions_open_;     // innermost last
  std::vector<std::size_t> branches_;        // their indents, innermost last
  std::vector<std::string_view> comments_;   // directly above
  SourceList sources_;                       // of the next call
  Definition* kernel_ = nullptr;             // whose quotes are open
  Definition* alternatives_ = nullptr;       // whose list is open
  std::vector<std::string_view> appending_;  // functions whose calls are, outermost first
  std::size_t words_ = 0;                    // of the calls
};

}  // namespace

std::optional<std::string_view> sizes_of_argument(const InductorCode& code, std::string_view arg) {
  const TensorArgument tensor = tensor_argument(arg);
  if (tensor.sizes) return tensor.sizes;
  const auto known = code.buffers.find(tensor.buffer);
  return known == code.buffers.end() ? std::nullopt : std::optional(known->second.sizes);
}

std::optional<TensorType> type_of_argument(const InductorCode& code, std::string_view arg) {
  const auto known = code.buffers.find(tensor_argument(arg).buffer);
  if (known == code.buffers.end() || known->second.dtype == DType::kUnknown) return std::nullopt;
  auto shape = read_sizes(*sizes_of_argument(code, arg), code.symbols);
  if (!shape) return std::nullopt;
  return TensorType{known->second.dtype, *std::move(shape)};
}

InductorCode read_inductor_code(std::shared_ptr<const std::string> text, Symbols symbols) {
  return Reader(std::move(text), std::move(symbols)).read();
}

}  // namespace prof::compiled
