// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that did nothing but run on the host: tables. A row has the values of one record; repeated
// values are in a form. View host_op combines them, as the record describes it.
#pragma once

#include <array>
#include <string_view>

#include "libprof/store/schema/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kHostOpFormColumns = {
    Column{"id", kSqlKey, ""},
    Column{"thread_id", kSqlNumber, "thread.id"},
    Column{"name_id", kSqlNumber, "string.id of the op's name"},
    Column{"calls", kSqlNumber, "how many"},
};
inline constexpr Table kHostOpFormTable = {.name = "host_op_form", .doc = "What rows of host_op have in common. Duplicate rows may occur.", .columns = kHostOpFormColumns};

inline constexpr std::array kHostOpRowColumns = {
    Column{"id", kSqlKey, "in order of arrival", true},
    Column{"range_id", kSqlNumber, "as host_op.range_id"},
    Column{"form_id", kSqlNumber, "host_op_form.id"},
    Column{"total_ns", kSqlNumber, "as host_op.total_ns"},
    Column{"self_ns", kSqlNumberOrNull, "as host_op.self_ns, NULL: total_ns"},
    Column{"start_ns", kSqlNumberOrNull, "as host_op.start_ns"},
};
inline constexpr Table kHostOpRowTable = {.name = "host_op_row", .doc = "Rows of host_op: what is their own. Read view host_op.", .columns = kHostOpRowColumns};
// clang-format on

inline constexpr std::string_view kHostOpSelect = R"sql(
  SELECT r.id, r.range_id,
         (SELECT f.thread_id FROM host_op_form f WHERE f.id = r.form_id) AS thread_id,
         (SELECT f.name_id FROM host_op_form f WHERE f.id = r.form_id) AS name_id,
         (SELECT f.calls FROM host_op_form f WHERE f.id = r.form_id) AS calls,
         r.total_ns, ifnull(r.self_ns, r.total_ns) AS self_ns, r.start_ns
  FROM host_op_row r)sql";

}  // namespace prof::schema
