// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Recognizes an SQLite file as an export of Nsight Systems.
#pragma once

#include <string>
#include <string_view>

#include "libprof/base/result.hpp"
#include "tools/import/tables/table_file.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nsys {

inline constexpr TableTexts::Table kTexts = {"StringIds", "id", "value"};
/// Facts about the export itself; the second name is that of versions up to 2023.1.
inline constexpr std::string_view kFactsOfExport[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};

/// Errors: those of TableFile::open(), another database.
Result<TableFile> open_export(const std::string& path);

}  // namespace prof::importers::nsys
