// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Recognizes an SQLite file as a database of nvprof.
#pragma once

#include <string>

#include "libprof/base/result.hpp"
#include "tools/import/tables/table_file.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nvprof {

inline constexpr TableTexts::Table kTexts = {"StringTable", "_id_", "value"};

/// Nsight Systems has tables of the same names, but keeps its texts in another one.
bool is_database(const std::string& path);

Result<TableFile> open_database(const std::string& path);

}  // namespace prof::importers::nvprof
