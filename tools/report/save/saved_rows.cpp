// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/save/saved_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "libprof/store/schema/schema.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxSeenOps = 1U << 16;
constexpr std::size_t kMaxKeptBytes = std::size_t{32} << 20;

const schema::Table& table_of(SavedTable table) {
  return schema::saved_tables()[static_cast<std::size_t>(table) + 1];
}

std::vector<const Field*> fields_of(SavedTable table) {
  std::vector<const Field*> fields;
  for (const schema::Column& column : table_of(table).columns.subspan(1)) {
    fields.push_back(kGpuWork.find(column.name));
  }
  return fields;
}

SavedValue real_value(const std::optional<double>& value) {
  return value ? SavedValue(*value) : SavedValue();
}

SavedValue integer_value(const std::optional<std::uint64_t>& value) {
  return value ? SavedValue(static_cast<std::int64_t>(*value)) : SavedValue();
}

/// Appends what makes the value different from any other.
void append_content(const SavedValue& value, std::string& content) {
  content += static_cast<char>(value.index());
  const auto append = [&](const auto& number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    content.append(bytes, sizeof(number));
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) append(*integer);
  if (const auto* real = std::get_if<double>(&value)) append(*real);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    append(text->size());
    content += *text;
  }
}

SavedValue known_if(bool is_known, std::uint64_t number) {
  return is_known ? SavedValue(static_cast<std::int64_t>(number)) : SavedValue();
}

}  // namespace

SavedRows::SavedRows(SavedAttribution& saved, const TraceMember& trace)
    : saved_(saved), row_(trace) {
  constexpr SavedTable kInterned[] = {SavedTable::kTrace, SavedTable::kOp, SavedTable::kKernelName,
                                      SavedTable::kAttribution};
  for (std::size_t i = 0; i < kTables; ++i) {
    tables_[i].table = kInterned[i];
    tables_[i].fields = fields_of(kInterned[i]);
  }
}

std::size_t SavedRows::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const std::uint64_t word : key) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

Status SavedRows::add(const AttributedRow& work) {
  row_.set(number_ + 1, work);
  if (number_ == 0) {
    if (const auto trace = intern(tables_[kTraces], {}); !trace) return trace.error();
  }
  const bool is_copy = !row_.is_kernel();
  PROF_TRY(add_run(work, is_copy));
  const Result<std::int64_t> attributed = attribution(work);
  if (!attributed) return attributed.error();
  const std::uint64_t replay_id = work.attribution.replay_id;
  const devices::RooflineTimes model = row_.roofline();
  const devices::Bound bound = devices::bound(model, work.gpu.duration_ns);
  const SavedValue values[] = {
      static_cast<std::int64_t>(work.gpu.correlation),
      work.gpu.repeat,
      *attributed,
      integer_value(work.attribution.seq.own()),
      known_if(replay_id != 0, replay_id),
      known_if(work.gpu.launch != work.gpu.correlation, work.gpu.launch),
      real_value(model.model_ns()),
      known_if(bound != devices::Bound::kUnknown, static_cast<std::uint64_t>(bound))};
  return saved_.add(SavedTable::kWork, static_cast<std::int64_t>(number_), values);
}

Status SavedRows::add_run(const AttributedRow& work, bool is_copy) {
  const std::optional<std::int64_t> step = work.attribution.step;
  const bool is_new = number_ == 0 || step != run_step_ || is_copy != run_of_copies_;
  ++number_;
  const auto before = static_cast<std::int64_t>(copies_);
  if (is_copy) ++copies_;
  if (!is_new) return {};
  run_step_ = step;
  run_of_copies_ = is_copy;
  const SavedValue values[] = {step ? SavedValue(*step) : SavedValue(), before};
  return saved_.add(SavedTable::kRun, static_cast<std::int64_t>(number_), values);
}

Result<std::int64_t> SavedRows::attribution(const AttributedRow& work) {
  const GpuRow& row = work.gpu;
  const Attribution& says = work.attribution;
  const Result<Seen> launched_by = op(says);
  if (!launched_by) return launched_by.error();
  const Result<std::int64_t> name = kernel_name(says);
  if (!name) return name.error();

  std::optional<std::uint64_t> op_offset;
  if (says.op_id != 0) op_offset = (says.replay_id != 0 ? says.replay_id : row.stack) - says.op_id;
  std::array<std::optional<std::uint64_t>, 3> altseq;
  const std::span<const std::uint64_t> numbers = says.seq.others();
  for (std::size_t i = 0; i < altseq.size() && i < numbers.size(); ++i) {
    altseq[i] = numbers[i] - *says.seq.own();
  }
  Key key{};
  std::size_t at = 0;
  std::uint64_t known = 0;
  const auto put = [&](std::uint64_t word) { key[at++] = word; };
  const auto put_known = [&](const auto& value, std::uint64_t bits) {
    known = known << 1 | (value.has_value() ? 1u : 0u);
    put(bits);
  };
  put(launched_by->number);
  put(launch_layer(says));
  put(static_cast<std::uint64_t>(*name));
  put(static_cast<std::uint64_t>(row.kind) | static_cast<std::uint64_t>(row.origin) << 8 |
      static_cast<std::uint64_t>(row.source) << 16 |
      static_cast<std::uint64_t>(row.destination) << 24 | (says.main ? 1ULL << 32 : 0));
  put(row.device);
  put(static_cast<std::uint64_t>(row.origin_id));
  put(says.sub);
  put(says.contradictions.to_ullong());
  put_known(op_offset, op_offset.value_or(0));
  for (const auto& number : altseq) put_known(number, number.value_or(0));
  put(std::bit_cast<std::uint64_t>(says.share));
  for_each_quantity(
      [&](const std::optional<double>& real) {
        put_known(real, std::bit_cast<std::uint64_t>(real.value_or(0)));
      },
      says.cost);
  put(known);

  const auto seen = attributions_.find(key);
  if (seen != attributions_.end()) return seen->second;
  const SavedValue others[] = {static_cast<std::int64_t>(row.kind),
                               launched_by->id,
                               *name,
                               row.origin_id,
                               integer_value(op_offset),
                               integer_value(altseq[0]),
                               integer_value(altseq[1]),
                               integer_value(altseq[2]),
                               real_value(says.cost.bytes),
                               real_value(says.cost.algorithm_bytes),
                               real_value(says.cost.bus_bytes)};
  Result<std::int64_t> id = intern(tables_[kAttributions], others);
  if (!id) return id;
  if (attributions_.size() >= kMaxSeenOps) attributions_.clear();
  attributions_.emplace(key, *id);
  return id;
}

std::uint64_t SavedRows::launch_layer(const Attribution& attribution) {
  if (attribution.launch == nullptr) return 0;
  if (launch_layers_.size() >= kMaxSeenOps) launch_layers_.clear();
  return launch_layers_.try_emplace(attribution.launch->layer, ++objects_).first->second;
}

Result<SavedRows::Seen> SavedRows::op(const Attribution& attribution) {
  const auto seen = ops_.find(attribution.op.get());
  if (seen != ops_.end()) return seen->second;
  Result<std::int64_t> id = intern(tables_[kOps], {});
  if (!id) return id.error();
  if (ops_.size() >= kMaxSeenOps) ops_.clear();
  return ops_.emplace(attribution.op.get(), Seen{attribution.op, *id, ++objects_}).first->second;
}

Result<std::int64_t> SavedRows::kernel_name(const Attribution& attribution) {
  const auto seen = names_.find(attribution.kernel.get());
  if (attribution.kernel != nullptr && seen != names_.end()) return seen->second.id;
  Result<std::int64_t> id = intern(tables_[kNames], {});
  if (!id || attribution.kernel == nullptr) return id;
  if (names_.size() >= kMaxSeenOps) names_.clear();
  names_.emplace(attribution.kernel.get(), Seen{attribution.kernel, *id, 0});
  return id;
}

Result<std::int64_t> SavedRows::intern(Table& table, std::span<const SavedValue> others) {
  values_.resize(table.fields.size());
  texts_.resize(std::max(texts_.size(), table.fields.size()));
  content_.clear();
  auto other = others.begin();
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const Field* const field = table.fields[i];
    values_[i] = field != nullptr ? value_of(field->value(row_), i) : *other++;
    append_content(values_[i], content_);
  }
  if (table.kept_bytes > kMaxKeptBytes) {
    table.ids.clear();
    table.kept_bytes = 0;
  }
  const auto [found, is_new] =
      table.ids.try_emplace(content_, static_cast<std::int64_t>(table.rows) + 1);
  if (!is_new) return found->second;
  ++table.rows;
  table.kept_bytes += content_.size() + sizeof(*found);
  if (const Status added = saved_.add(table.table, found->second, values_); !added) {
    return added.error();
  }
  return found->second;
}

SavedValue SavedRows::value_of(const Cell& cell, std::size_t column) {
  return std::visit(
      [&](const auto& value) -> SavedValue {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Absent>) {
          return {};
        } else if constexpr (std::is_integral_v<Value>) {
          return static_cast<std::int64_t>(value);
        } else if constexpr (std::is_same_v<Value, double>) {
          return value;
        } else if constexpr (std::is_same_v<Value, std::string_view>) {
          // It may point into what the next cell is made in.
          texts_[column] = value;
          return std::string_view(texts_[column]);
        } else {
          texts_[column].clear();
          append_json(cell, texts_[column]);
          return std::string_view(texts_[column]);
        }
      },
      cell);
}

}  // namespace prof::reports
