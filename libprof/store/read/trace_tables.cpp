// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_tables.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace prof {
namespace {

/// Reads a table whose first column is an id, counted from 0 or 1, into `rows`, by id.
template <typename Row, typename Make>
Status load_table(SqliteDb& db, std::string_view sql, std::vector<Row>& rows, Make make) {
  Result<Statement> statement = db.prepare(sql);
  if (!statement) return statement.error();
  for (;;) {
    const Statement::Step step = statement->step();
    if (step == Statement::Step::kDone) return {};
    if (step != Statement::Step::kRow) return db.error("cannot be read");
    // Writers number from 0 or 1 without gaps; only damaged files have other ids, possibly huge.
    const std::int64_t id = statement->integer(0);
    const bool fits = rows.empty() ? id == 0 || id == 1 : std::cmp_equal(id, rows.size());
    if (!fits) {
      return Error{"is damaged: an id is out of order", db.path(), "capture again"};
    }
    rows.resize(static_cast<std::size_t>(id) + 1);
    rows.back() = make(*statement);
  }
}

}  // namespace

Status TraceTables::load() {
  pages = DbPages::open(db);
  PROF_TRY(strings.prepare());
  PROF_TRY(load_forms());
  PROF_TRY(load_blocks("range_block", range_blocks));
  PROF_TRY(load_blocks("launch_block", launch_blocks));
  PROF_TRY(load_table(db, "SELECT id,name_id,domain FROM api_function ORDER BY id", functions,
                      [](const Statement& row) {
                        using Domain = ApiRecord::Domain;
                        const bool driver =
                            row.integer(2) == static_cast<std::int64_t>(Domain::kDriver);
                        return ApiFunction{driver ? Domain::kDriver : Domain::kRuntime,
                                           StringId{uint32_at(row, 1)}};
                      }));
  PROF_TRY(load_table(
      db, "SELECT id,origin,graph,graph_node FROM work_origin ORDER BY id", origins,
      [](const Statement& row) {
        const std::int64_t origin = row.integer(1);
        const bool known = origin >= 0 && origin <= static_cast<std::int64_t>(Origin::kNone);
        return WorkOrigin{known ? static_cast<Origin>(origin) : Origin::kNone,
                          static_cast<std::uint32_t>(row.integer(2)), row.unsigned_integer(3)};
      }));
  PROF_TRY(load_table(db, "SELECT id,device,context,stream FROM queue ORDER BY id", queues,
                      [](const Statement& row) {
                        return Queue{uint32_at(row, 1), uint32_at(row, 2), uint32_at(row, 3)};
                      }));
  return load_table(
      db,
      "SELECT id,name_id,grid_x,grid_y,grid_z,block_x,block_y,block_z,cluster_x,cluster_y,"
      "cluster_z,registers_per_thread,static_shared_bytes,dynamic_shared_bytes,"
      "local_bytes_per_thread,cooperative FROM launch_config ORDER BY id",
      configs, [](const Statement& row) {
        LaunchConfig config;
        config.name = StringId{uint32_at(row, 1)};
        config.grid = {uint32_at(row, 2), uint32_at(row, 3), uint32_at(row, 4)};
        config.block = {uint32_at(row, 5), uint32_at(row, 6), uint32_at(row, 7)};
        config.cluster = {uint32_at(row, 8), uint32_at(row, 9), uint32_at(row, 10)};
        config.registers_per_thread = uint32_at(row, 11);
        config.static_shared_bytes = uint32_at(row, 12);
        config.dynamic_shared_bytes = uint32_at(row, 13);
        config.local_bytes_per_thread = uint32_at(row, 14);
        config.cooperative = row.integer(15) != 0;
        return config;
      });
}

Status TraceTables::load_forms() {
  PROF_TRY(load_table(
      db,
      "SELECT id,kind,thread_id,domain_id,text_id,signature_id,forward_thread_id,category,"
      "payload_type FROM range_form ORDER BY id",
      range_forms, [](const Statement& row) {
        using Kind = RangeRecord::Kind;
        return RangeForm{enumerator(row, 1, Kind::kAlias, Kind::kPushPop),
                         ThreadId{uint32_at(row, 2)},
                         DomainId{uint32_at(row, 3)},
                         StringId{uint32_at(row, 4)},
                         StringId{uint32_at(row, 5)},
                         ThreadId{uint32_at(row, 6)},
                         uint32_at(row, 7),
                         enumerator(row, 8, Payload::Type::kFloat, Payload::Type::kNone)};
      }));
  PROF_TRY(load_table(db, "SELECT id,function_id,thread_id,status FROM api_form ORDER BY id",
                      call_forms, [](const Statement& row) {
                        return CallForm{row.integer(1), ThreadId{uint32_at(row, 2)},
                                        static_cast<std::int32_t>(row.integer(3))};
                      }));
  PROF_TRY(load_table(db, "SELECT id,config_id,queue_id FROM kernel_form ORDER BY id", kernel_forms,
                      [](const Statement& row) {
                        return WorkForm{.queue = row.integer(2),
                                        .config = ConfigId{uint32_at(row, 1)}};
                      }));
  return load_table(db, "SELECT id,queue_id,bytes,memory FROM memset_form ORDER BY id", set_forms,
                    [](const Statement& row) {
                      return WorkForm{.queue = row.integer(1),
                                      .bytes = row.unsigned_integer(2),
                                      .memory = row.integer(3)};
                    });
}

Status TraceTables::load_blocks(std::string_view table, std::vector<TimeBlock>& blocks) {
  Result<Statement> rows =
      db.prepare("SELECT id,start_ns FROM " + std::string(table) + " ORDER BY id");
  if (!rows) return rows.error();
  Statement::Step step;
  while ((step = rows->step()) == Statement::Step::kRow) {
    blocks.push_back({rows->integer(0), rows->integer(1)});
  }
  return step == Statement::Step::kDone ? Status() : db.error("cannot be read");
}

}  // namespace prof
