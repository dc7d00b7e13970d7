// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The only place where files of ours are removed or found replaceable. What is removed is first
// looked at: it begins as our files do, nobody writes it, and it is the file that is meant. All
// else at that name is somebody's, whatever the user forces. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"

namespace prof {

/// In the header of a trace's database (PRAGMA application_id): "prof".
inline constexpr std::int32_t kTraceApplicationId = 0x70726f66;
/// A trace's text form begins with it.
inline constexpr std::string_view kStreamStart = "{\"format\":\"prof-stream\"";

/// Whether a file of ours may take the place of what is at `path`: nothing, an empty file, a
/// trace or a trace's text form that nobody writes, or a symbolic link to one of these. Says why
/// not. `path` may be replaced by others at any time.
Status check_replaceable(const std::string& path);

/// Removes what may be replaced, a trace with its journal; of a symbolic link never the target. A
/// writer that starts at this very moment either keeps its file or notices before its first record
/// that it is gone.
Status remove_replaceable(const std::string& path);

/// Removes a finished file of ours if it is still at its path. False: it is not, or is not ours.
bool remove_own_output(const std::string& path, const FileIdentity& file);

/// Removes a file that this process has created and could not make more of, unless it was removed
/// or replaced already. The process's other locks on it must be gone.
void remove_unfinished_output(const std::string& path, int descriptor);

/// The journal of a capture that was killed: SQLite would roll it back into a new file of that
/// name. An error if what has that name is something else.
Status remove_journal(const std::string& path);

}  // namespace prof
