// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/traces/damage.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string_view>

#include "libprof/store/schema/schema.hpp"

namespace prof::adversary {
namespace {

constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// --- Rows and schema, by SQL.

constexpr std::string_view kValues[] = {"0",
                                        "1",
                                        "-1",
                                        "2147483648",
                                        "4294967295",
                                        "1000000000",
                                        "9223372036854775807",
                                        "(-9223372036854775807-1)",
                                        "9223372036854775000",
                                        "NULL",
                                        "''",
                                        "'text'",
                                        "x'ff00ff'",
                                        "1e308",
                                        "zeroblob(100000)",
                                        "rowid",
                                        "id",
                                        "id-1",
                                        "id+1",
                                        "correlation",
                                        "1000000-id",
                                        "start_ns",
                                        "-duration_ns"};

/// Each is a defect that some reader had.
constexpr std::string_view kWhole[] = {
    "UPDATE thread SET id=1000000000",
    "UPDATE range_row SET up=1",
    "UPDATE range_form SET kind=2; INSERT OR REPLACE INTO range_rare SELECT id,2,id-1,0 FROM "
    "range_row",
    "UPDATE range_form SET kind=1; INSERT OR REPLACE INTO range_rare SELECT id,1,0,0 FROM "
    "range_row",
    "UPDATE kernel_row SET duration_ns=9223372036854775807",
    "UPDATE api_row SET start_ns=-9223372036854775807",
    "UPDATE launch_block SET start_ns=9223372036854775807",
    "UPDATE range_row SET start_ns=-9223372036854775807, duration_ns=-9223372036854775807",
    "UPDATE range_block SET start_ns=9223372036854775807",
    "UPDATE range_form SET id=id*1000000007",
    "DELETE FROM range_block",
    "DROP TABLE range_row",
    "UPDATE OR IGNORE kernel_row SET correlation=0",
    "UPDATE OR REPLACE range_row SET id=id*1000000007",
    "UPDATE launch_config SET grid_x=4294967295, grid_y=-1, grid_z=9223372036854775807",
    "INSERT INTO range_row SELECT id+(SELECT max(id) FROM range_row),id,form_id,start_ns,"
    "duration_ns,seq,numbers FROM range_row",
    "CREATE TABLE whole AS SELECT * FROM range; DROP VIEW range; ALTER TABLE whole RENAME TO range",
    "UPDATE device SET sm_count=-1, core_clock_khz=9223372036854775807, name='NVIDIA H100'",
    "UPDATE meta SET value='99999999999999999999999999'",
    "INSERT INTO loss VALUES('no_word',1,9223372036854775807,0,0,'line' || char(10) || 'line')",
    "UPDATE string SET text=zeroblob(10000)",
    "UPDATE string SET text=text||char(10)||text||char(27)||'[2J'",
    "UPDATE string SET text=replace(text,'1','99999999999999999999')",
    "ALTER TABLE kernel_row RENAME TO k; CREATE VIEW kernel_row AS WITH RECURSIVE n(correlation) "
    "AS "
    "(SELECT 1 "
    "UNION ALL SELECT correlation+1 FROM n) SELECT *,0 AS origin_id,0 AS repeat,0 AS start_ns,1 AS "
    "duration_ns,1 AS config_id,1 AS queue_id FROM n",
    "ALTER TABLE string RENAME TO s; CREATE VIEW string AS SELECT id,zeroblob(1000000000) AS text "
    "FROM s",
    "CREATE VIEW mine AS SELECT * FROM kernels",
    "ALTER TABLE range_row ADD COLUMN more AS (zeroblob(1000000000))",
    "CREATE INDEX more ON range_row(form_id)",
    "PRAGMA journal_mode=WAL",
    "PRAGMA user_version=77",
    "PRAGMA user_version=77; ALTER TABLE meta RENAME TO m; CREATE VIEW meta AS WITH RECURSIVE "
    "n(key) AS (SELECT 1 UNION ALL SELECT key+1 FROM n) SELECT key,key AS value FROM n",
    "PRAGMA user_version=2",
    "PRAGMA user_version=2; DROP TABLE collective; CREATE VIEW collective AS WITH RECURSIVE n(id) "
    "AS "
    "(SELECT 1 UNION ALL SELECT id+1 FROM n) SELECT * FROM n",
    "PRAGMA page_size=512; VACUUM",
    "PRAGMA page_size=65536; VACUUM",
    "PRAGMA auto_vacuum=FULL; VACUUM",
    "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage=3 WHERE type='table'",
    "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql=replace(sql,'WITHOUT ROWID','')",
    "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql=replace(sql,'INTEGER','TEXT')",
    "PRAGMA writable_schema=1; UPDATE sqlite_schema SET type='view' WHERE name='kernel_row'",
    "PRAGMA writable_schema=1; DELETE FROM sqlite_schema",
    "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql=NULL WHERE name='memcpy'",
};

std::string edit(Random& random) {
  if (random.one_in(3)) return std::string(random.one_of(kWhole));
  const schema::Table& table = random.one_of(schema::tables());
  const std::string name(table.name);
  const std::string column(random.one_of(table.columns).name);
  if (random.one_in(16)) return "DROP TABLE " + name;
  const std::string some = random.one_in(3) ? ""
                                            : " WHERE (ifnull(" + column + ",1)*7+" +
                                                  std::to_string(random.below(9)) + ")%5=0";
  if (random.one_in(6)) return "DELETE FROM " + name + some;
  return "UPDATE OR IGNORE " + name + " SET " + column + "=" + std::string(random.one_of(kValues)) +
         some;
}

std::string edit_rows(const std::string& path, Random& random) {
  std::string done;
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    for (std::size_t i = 1 + random.below(3); i > 0; --i) {
      const std::string sql = edit(random);
      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);  // What cannot be done is not done.
      done += sql + "; ";
    }
  }
  sqlite3_close(db);
  return done;
}

// --- Pages.

void share_children(std::string& bytes, std::size_t page, std::size_t page_bytes, Random& random) {
  const std::size_t head = page == 0 ? 100 : page * page_bytes;
  const char type = bytes[head];
  if (type != 2 && type != 5) return;
  const std::size_t cells = big_endian(bytes, head + 3, 2);
  const std::string child = random.one_in(2) ? bytes.substr(head + 8, 4)
                                             : big_endian(static_cast<std::uint32_t>(page + 1));
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t at = page * page_bytes + big_endian(bytes, head + 12 + 2 * cell, 2);
    if (at + 4 <= bytes.size()) bytes.replace(at, 4, child);
  }
}

std::string change_bytes(const std::string& path, Random& random) {
  std::string bytes = read_whole(path);
  if (bytes.size() < 512) return {};
  const std::size_t size_field = big_endian(bytes, 16, 2);
  const std::size_t page_bytes = size_field == 1 ? 65536 : std::max<std::size_t>(size_field, 512);
  const std::size_t pages = std::max<std::size_t>(bytes.size() / page_bytes, 1);
  switch (random.below(8)) {
    case 0:
      bytes.resize(random.below(bytes.size()));
      break;
    case 1:
      bytes[random.below(100)] = static_cast<char>(random.number());
      break;
    case 2:
      for (std::size_t page = 0; page < pages; ++page) {
        share_children(bytes, page, page_bytes, random);
      }
      break;
    case 3: {
      const std::size_t to = random.below(pages) * page_bytes;
      bytes.replace(to, page_bytes, bytes.substr(random.below(pages) * page_bytes, page_bytes));
      break;
    }
    case 4: {  // a page's own header: its kind, its cells
      const std::size_t page = random.below(pages);
      const std::size_t at = (page == 0 ? 100 : page * page_bytes) + random.below(12);
      if (at < bytes.size()) bytes[at] = static_cast<char>(random.number());
      break;
    }
    default:
      for (std::size_t i = 1 + random.below(64); i > 0; --i) {
        bytes[random.below(bytes.size())] =
            static_cast<char>(random.one_in(3) ? 0xff : random.number());
      }
  }
  write_whole(path, bytes);
  return "bytes; ";
}

// --- What lies beside.

std::string journal_head(std::uint32_t pages, std::uint32_t page_bytes, std::uint32_t records) {
  std::string head = std::string(kMagic) + big_endian(records) + big_endian(4711) +
                     big_endian(pages) + big_endian(512) + big_endian(page_bytes);
  head.resize(512);
  return head;
}

/// A page as a journal keeps it, with its checksum.
std::string journal_record(std::uint32_t number, const std::string& page) {
  std::uint32_t sum = 4711;
  for (std::size_t at = page.size(); at > 200;) {
    at -= 200;
    sum += static_cast<unsigned char>(page[at]);
  }
  return big_endian(number) + page + big_endian(sum);
}

std::string super_journal(const std::string& name, std::uint32_t page_bytes) {
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(c);
  return big_endian(0x40000000 / page_bytes + 1) + name +
         big_endian(static_cast<std::uint32_t>(name.size())) + big_endian(sum) +
         std::string(kMagic);
}

std::string put_beside(const std::string& path, const std::string& bystander, Random& random) {
  const std::string journal = path + "-journal";
  const auto pages = static_cast<std::uint32_t>(read_whole(path).size() / 4096);
  std::string page(4096, '\0');
  for (char& c : page) c = static_cast<char>(random.number());
  switch (random.below(12)) {
    case 0:
      write_whole(journal, journal_head(pages, 4096, 0) + super_journal(bystander, 4096));
      return "a super-journal; ";
    case 1:
      mkfifo(journal.c_str(), 0600);
      return "a pipe; ";
    case 2:
      mkdir(journal.c_str(), 0700);
      return "a folder; ";
    case 3:
      if (symlink(bystander.c_str(), journal.c_str()) != 0) return {};
      return "a link; ";
    case 4:
      write_whole(journal, journal_head(pages, 1024, 0));
      return "another page size; ";
    case 5:
      write_whole(journal, journal_head(static_cast<std::uint32_t>(random.number()), 4096, 0));
      return "another size; ";
    case 6:  // One that is rolled back: the trace then holds what it says.
      write_whole(journal,
                  journal_head(pages, 4096, 1) +
                      journal_record(
                          1 + static_cast<std::uint32_t>(random.below(std::max(pages, 1U))), page));
      return "a journal of noise; ";
    case 7:
      write_whole(journal, journal_head(static_cast<std::uint32_t>(random.below(pages + 1)), 4096,
                                        0xffffffff));
      return "a smaller size; ";
    case 8:
      write_whole(journal, page.substr(0, random.below(600)));
      return "noise; ";
    case 9:
      write_whole(journal, journal_head(pages, 4096, 0).substr(0, random.below(512)));
      return "a cut journal; ";
    case 10:
      write_whole(path + "-wal", page);
      write_whole(path + "-shm", page);
      return "a foreign log; ";
    default:
      return {};
  }
}

}  // namespace

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_whole(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string damage_trace(const std::string& path, const std::string& bystander, Random& random) {
  std::string done;
  // In this order: on damaged pages, SQL here could run for ever.
  const std::size_t kind = random.below(8);
  if (kind < 4) done += edit_rows(path, random);
  if (kind == 0 || kind > 4) done += change_bytes(path, random);
  if (kind == 4 || random.one_in(6)) done += put_beside(path, bystander, random);
  return done;
}

}  // namespace prof::adversary
