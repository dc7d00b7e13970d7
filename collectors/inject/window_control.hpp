// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The windows of this process: opens and closes captures at WindowRunner's request, and keeps their
// output. Threads: see each function.
#pragma once

#include <cstdint>

#include "collectors/inject/config.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

/// PROF_CAPTURE is set: ranges that open windows are noted from here on, also before CUDA starts.
void expect_windows();
/// Windows may open from here on. Called in State::kStarting, which it leaves. An error: nothing
/// will be captured.
Status start_windows(const CaptureConfig& config);
/// Whether windows, and nothing else, are captured.
[[nodiscard]] bool has_windows() noexcept;
/// 0: no window is open, so that nobody needs the program's marks. Valid forever.
[[nodiscard]] const std::int32_t* wants_marks() noexcept;

// Steps at the end of the process: first no window opens or closes any more, then the running
// capture is ended, then, on one of our own threads, the files are closed and missing triggers are
// printed.
void stop_windows() noexcept;
/// Whether there is something to finish.
[[nodiscard]] bool windows_have_started() noexcept;
void finish_windows();
/// Performs all three steps on request: the process may start other windows. False: there are none
/// to end.
bool end_windows();

/// For use around a fork, and in a child that is not captured.
void lock_windows() noexcept;
void unlock_windows() noexcept;
void forget_windows() noexcept;

}  // namespace prof::collectors
