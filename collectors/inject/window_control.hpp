// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The windows of this process: opens captures and closes them as Windows asks for it, and keeps
// what they write to. Threads: see each function.
#pragma once

#include "collectors/inject/config.hpp"

namespace prof::collectors {

/// PROF_CAPTURE is set: ranges that open windows are noted from here on, also before CUDA starts.
void expect_windows();
/// CUDA starts. In State::kStarting, which it leaves. On failure prints one line with the reason.
void start_windows(const CaptureConfig& config);
/// Whether windows, and nothing else, are captured.
[[nodiscard]] bool has_windows() noexcept;

// When the process ends: first no window opens or closes any more, then the capture that is running
// is ended, then, on a thread of our own, the files are closed and what never came is told.
void stop_windows() noexcept;
/// Whether there is something to finish.
[[nodiscard]] bool windows_have_started() noexcept;
void finish_windows();

/// Around a fork, and in a child that is not captured.
void lock_windows() noexcept;
void unlock_windows() noexcept;
void forget_windows() noexcept;

}  // namespace prof::collectors
