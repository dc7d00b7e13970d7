// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/context.hpp"

#include <algorithm>
#include <utility>

namespace prof {
namespace {

using Kind = dialects::RangeMeaning::Kind;

/// A range is asked for while it is open and seldom after; a table that fits a cache is faster.
constexpr std::size_t kMaxStacks = 2048;
constexpr std::size_t kMaxTextBytes = 64U << 20;
constexpr std::size_t kMaxMalformedSeen = 1U << 16;
constexpr std::size_t kShownTextBytes = 200;

/// Stacks deeper than this and paths longer than this come from damaged files.
constexpr std::size_t kMaxDepth = 4096;
constexpr std::size_t kMaxPathBytes = 4096;

void append_path(std::string& path, std::string_view name) {
  constexpr std::string_view kCut = "...";
  if (path.ends_with(kCut) && path.size() >= kMaxPathBytes) return;
  if (!path.empty()) path += ':';
  path += name;
  if (path.size() > kMaxPathBytes) {
    path.resize(kMaxPathBytes);
    path += kCut;
  }
}

/// "bert.encoder" continues "bert": the qualified name of a part of it.
bool continues(std::string_view name, std::string_view around) {
  return !around.empty() && name.size() > around.size() + 1 && name.starts_with(around) &&
         name[around.size()] == '.';
}

}  // namespace

ContextCache::ContextCache(TraceReader& reader, std::size_t max_entries)
    : reader_(reader), max_entries_(max_entries) {
  dialects::register_builtin(dialects_);
  ops::register_builtin(ops_);
  start_empty();
}

void ContextCache::start_empty() {
  stacks_.clear();
  children_.clear();
  contexts_.clear();
  texts_.clear();
  other_texts_.clear();
  text_bytes_ = 0;
  next_text_id_ = 1;
  contexts_.emplace_back();
}

bool ContextCache::trim() {
  if (stacks_.size() > kMaxStacks) stacks_.clear();
  const std::size_t largest =
      std::max({children_.size(), contexts_.size(), texts_.size(), other_texts_.size()});
  if (largest <= max_entries_ && text_bytes_ <= kMaxTextBytes) return false;
  start_empty();
  return true;
}

StackMeaning ContextCache::meaning(RangeId stack) {
  const StackMeaning nothing{&contexts_.front(), &contexts_.front()};
  if (stack == 0) return nothing;
  if (const StackMeaning* known = stacks_.find(stack)) return *known;

  // Down to a range whose parent is known, then up again.
  pending_.clear();
  for (RangeId at = stack; at != 0;) {
    const RangeRow* row = reader_.range(at);
    // A parent is older than its child: what says otherwise is damaged and could lead in circles.
    if (row == nullptr || row->parent >= at || pending_.size() >= kMaxDepth) {
      ++broken_stacks_;
      break;
    }
    const RangeId parent = row->parent;
    const StackMeaning* below = parent == 0 ? &nothing : stacks_.find(parent);
    if (below != nullptr) {
      const StackMeaning copy = *below;
      stacks_.insert(at, resolve(*row, copy));
      break;
    }
    pending_.push_back(at);
    at = parent;
  }
  for (std::size_t i = pending_.size(); i-- > 0;) {
    const RangeRow* row = reader_.range(pending_[i]);
    if (row == nullptr) continue;
    const StackMeaning* below = stacks_.find(row->parent);
    const StackMeaning copy = below == nullptr ? nothing : *below;
    stacks_.insert(pending_[i], resolve(*row, copy));
  }
  const StackMeaning* found = stacks_.find(stack);
  return found == nullptr ? nothing : *found;
}

StackMeaning ContextCache::resolve(const RangeRow& range, const StackMeaning& below) {
  const RangeId parent = range.parent;
  RangeId opening = range.id;
  const RangeRow* row = &range;
  while (row != nullptr && row->alias_of != 0 && row->alias_of < opening) {
    opening = row->alias_of;
    row = reader_.range(opening);
  }
  StackMeaning result = below;
  if (row == nullptr) {
    ++broken_stacks_;
    return result;
  }
  if (row->kind == RangeRecord::Kind::kStartEnd) return result;

  const std::int64_t end_ns = row->end_ns.value_or(INT64_MAX);
  const Parsed& parsed = parse(*row);
  switch (parsed.meaning.kind) {
    case Kind::kNothing:
      break;
    case Kind::kStep:
      result.step = parsed.meaning.step;
      result.in_step = true;
      break;
    case Kind::kPlain:
      if (!below.context->layer_path_.empty()) break;  // it would change nothing
      [[fallthrough]];
    case Kind::kLayer:
      result.context = child(below.context, parsed);
      if (result.op_id == 0) result.attributed = result.context;
      break;
    case Kind::kOp:
      result.context = child(below.context, parsed);
      result.attributed = result.context;
      result.op_id = opening;
      result.around_op = parent;  // of the stack as it is now, not as it was at the opening
      result.op_end_ns = end_ns;
      break;
  }
  return result;
}

const ContextCache::Parsed& ContextCache::parse(const RangeRow& range) {
  const bool is_default = range.domain == kDefaultDomain;
  TextTable& table = is_default ? texts_ : other_texts_;
  std::string_view key = range.text;
  const std::string_view domain =
      is_default ? std::string_view{} : reader_.domain_name(range.domain);
  if (!is_default) {
    key_.assign(domain);
    key_ += '\0';
    key_ += range.text;
    key = key_;
  }
  if (const auto it = table.find(key); it != table.end()) return it->second;

  Parsed parsed{dialects_.parse({range.text, domain, is_default}), 0};
  if (!parsed.meaning.problem.empty()) note_problem(range, parsed.meaning.problem);
  parsed.id = next_text_id_++;
  if (!parsed.meaning.cacheable) {
    uncached_ = std::move(parsed);
    return uncached_;
  }
  text_bytes_ += key.size();
  return table.emplace(std::string(key), std::move(parsed)).first->second;
}

void ContextCache::note_problem(const RangeRow& range, const std::string& problem) {
  const bool full = malformed_seen_.size() >= kMaxMalformedSeen;
  if (!full && !malformed_seen_.insert(TextHash{}(range.text)).second) return;
  if (malformed_texts_++ > 0) return;
  first_malformed_text_ = range.text.substr(0, kShownTextBytes);
  first_malformed_why_ = problem;
}

Context* ContextCache::child(Context* around, const Parsed& parsed) {
  const std::uint64_t key = (std::uint64_t{around->id_} << 32) | parsed.id;
  if (Context* const* known = children_.find(key)) return *known;
  Context& made = contexts_.emplace_back();
  made.around_ = around;
  made.id_ = static_cast<std::uint32_t>(contexts_.size() - 1);
  made.layer_path_ = around->layer_path_;
  made.layer_name_at_ = around->layer_name_at_;
  made.plain_path_ = around->plain_path_;
  made.nearest_op_ = around->nearest_op_;
  switch (parsed.meaning.kind) {
    case Kind::kLayer:
      append_layer(made, parsed.meaning.name);
      break;
    case Kind::kPlain:
      append_path(made.plain_path_, parsed.meaning.name);
      break;
    case Kind::kOp:
      made.op_ = parsed.meaning.op;
      made.nearest_op_ = &made;
      break;
    case Kind::kNothing:
    case Kind::kStep:
      break;
  }
  children_.insert(key, &made);
  return &made;
}

void ContextCache::append_layer(Context& context, std::string_view name) {
  std::string& path = context.layer_path_;
  const std::size_t at = context.around_->layer_name_at_;
  if (!path.empty() && continues(name, std::string_view(path).substr(at))) {
    path.resize(at == 0 ? 0 : at - 1);  // the name takes the place of the one that it continues
  }
  context.layer_name_at_ = path.empty() ? 0 : path.size() + 1;
  append_path(path, name);
  context.layer_name_at_ = std::min(context.layer_name_at_, path.size());
}

const std::shared_ptr<const OpAttribution>& ContextCache::attribution(Context& context,
                                                                      DType kernel_dtype) {
  auto& slot = context.attributions_[static_cast<std::size_t>(kernel_dtype)];
  if (!slot) slot = make(context, kernel_dtype);
  return slot;
}

std::shared_ptr<const OpAttribution> ContextCache::make(const Context& context,
                                                        DType kernel_dtype) const {
  OpAttribution made;
  if (!context.layer_path_.empty()) {
    made.layer = context.layer_path_;
    made.layer_from = Provenance::kExact;
  } else if (!context.plain_path_.empty()) {
    made.layer = context.plain_path_;
    made.layer_from = Provenance::kEstimated;
  }
  if (const OpDesc* op = context.op_.get()) {
    made.op = op->op;
    made.op_inner = op->op;
    made.module = op->module;
    made.op_from = Provenance::kExact;
    made.part = op->part;
    made.tensors = op->tensors;
    if (!op->tensors.empty()) made.shapes_from = Provenance::kExact;

    const ops::OpModel* model = ops_.find(op->op);
    made.known_op = model != nullptr;
    const Context* says_direction = &context;
    while (says_direction != nullptr && says_direction->op_->direction == Direction::kNone) {
      const Context* around = says_direction->around_;
      says_direction = around == nullptr ? nullptr : around->nearest_op_;
    }
    if (says_direction != nullptr) {
      made.direction = says_direction->op_->direction;
      made.direction_from = Provenance::kExact;
    } else if (const Direction only = ops::implied_direction(model, op->op);
               only != Direction::kNone) {
      made.direction = only;
      made.direction_from = Provenance::kEstimated;
    }

    OpDesc directed =
        *op;  // a model counts by direction, which an op around this one may have said
    directed.direction = made.direction;
    ops::OpFacts facts = ops::evaluate(model, directed);
    made.params = std::move(facts.params);
    made.gemm = facts.gemm;
    made.cost = facts.cost;
    made.dtype = facts.dtype;
    if (made.dtype != DType::kUnknown) made.dtype_from = Provenance::kExact;
  }
  if (made.dtype == DType::kUnknown && kernel_dtype != DType::kUnknown) {
    made.dtype = kernel_dtype;
    made.dtype_from = Provenance::kEstimated;
  }
  return std::make_shared<const OpAttribution>(std::move(made));
}

}  // namespace prof
