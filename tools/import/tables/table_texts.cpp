// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/tables/table_texts.hpp"

#include <array>
#include <string>
#include <utility>

#include "libprof/model/function_name.hpp"

namespace prof::importers {
namespace {

/// Profilers give the table a key; without one, this many texts are indexed in memory.
constexpr std::size_t kMaxPlaces = 1'000'000;
/// Kernels and functions have few names. More than this are forgotten and looked up again.
constexpr std::size_t kMaxRemembered = 1U << 16;

}  // namespace

Result<TableTexts> TableTexts::open(TableFile& file, const Table& table) {
  TableTexts texts;
  texts.has_table_ = file.has(table.name, table.id) && file.has(table.name, table.value);
  if (!texts.has_table_) return texts;
  texts.by_place_ = !file.is_key(table.name, table.id);
  if (texts.by_place_) PROF_TRY(texts.index_places(file, table));
  const std::string key(texts.by_place_ ? "rowid" : table.id);
  auto find = file.prepare(select_from(table.name, {&table.value, 1}) + " WHERE " + key + "=?");
  if (!find) return find.error();
  texts.find_ = std::move(*find);
  return texts;
}

Status TableTexts::index_places(TableFile& file, const Table& table) {
  const std::array columns = {table.id, std::string_view("rowid")};
  auto all = file.prepare(select_from(table.name, columns));
  if (!all) return all.error();
  Statement::Step step;
  while ((step = all->step()) == Statement::Step::kRow) {
    if (places_.size() == kMaxPlaces) {
      return file.damaged(std::string("table ").append(table.name).append(" has no key"));
    }
    places_.emplace(all->integer(0), all->integer(1));
  }
  if (step != Statement::Step::kDone) return file.error();
  return {};
}

std::optional<std::string_view> TableTexts::text(std::int64_t id) {
  if (!has_table_) return std::nullopt;
  std::int64_t key = id;
  if (by_place_) {
    const auto place = places_.find(id);
    if (place == places_.end()) return std::nullopt;
    key = place->second;
  }
  find_.reset();
  find_.bind(1, key);
  if (find_.step() != Statement::Step::kRow) return std::nullopt;
  if (find_.type(0) != Statement::Type::kText) return std::nullopt;
  return find_.text(0);
}

template <typename Make>
std::optional<StringId> TableTexts::remembered(Ids& ids, std::int64_t id, Make make) {
  if (const auto known = ids.find(id); known != ids.end()) return known->second;
  const auto found = text(id);
  if (!found) return std::nullopt;
  if (ids.size() == kMaxRemembered) ids.clear();
  return ids[id] = make(*found);
}

std::optional<StringId> TableTexts::name(std::int64_t id, TraceBuilder& builder) {
  return remembered(names_, id, [&](std::string_view found) { return builder.text(found); });
}

std::optional<StringId> TableTexts::function(std::int64_t id, TraceBuilder& builder) {
  return remembered(functions_, id, [&](std::string_view found) {
    return builder.text(plain_function_name(found));
  });
}

}  // namespace prof::importers
