// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The only place where files of ours are removed or found replaceable. A file is inspected before
// it is removed: it begins as our files do, nobody writes it, and it is the intended file. Any
// other file of that name belongs to somebody else and stays, whatever the user forces. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"

namespace prof {

/// In the header of a trace's database (PRAGMA application_id): "prof".
inline constexpr std::int32_t kTraceApplicationId = 0x70726f66;
/// The beginning of a trace's text form.
inline constexpr std::string_view kStreamStart = "{\"format\":\"prof-stream\"";

/// Whether a file of ours may replace `path`: there is nothing, an empty file, a trace or a trace's
/// text form that nobody writes, or a symbolic link to one of these. The error states why not.
/// `path` may be replaced by others at any time.
Status check_replaceable(const std::string& path);

/// Removes a replaceable file, a trace with its journal; for a symbolic link never the target. A
/// writer that starts at this very moment either keeps its file or notices before its first record
/// that it is gone.
Status remove_replaceable(const std::string& path);

/// Removes a finished file of ours if it is still at its path. False: it is not, or is not ours.
bool remove_own_output(const std::string& path, const FileIdentity& file);

/// Removes a file that this process has created and could not complete, unless it was removed or
/// replaced already. The process's other locks on it must be gone.
void remove_unfinished_output(const std::string& path, int descriptor);

/// Removes the journal of a capture that was killed: SQLite would roll it back into a new file of
/// that name. An error if the file of that name is something else.
Status remove_journal(const std::string& path);

}  // namespace prof
