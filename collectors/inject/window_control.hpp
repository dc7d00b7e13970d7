// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The windows of this process: opens captures and closes them as WindowRunner asks for it, and
// keeps what they write to. Threads: see each function.
#pragma once

#include <cstdint>

#include "collectors/inject/config.hpp"
#include "libprof/base/result.hpp"

namespace prof::collectors {

/// PROF_CAPTURE is set: ranges that open windows are noted from here on, also before CUDA starts.
void expect_windows();
/// Windows may open from here on. In State::kStarting, which it leaves. An error: nothing will be
/// captured.
Status start_windows(const CaptureConfig& config);
/// Whether windows, and nothing else, are captured.
[[nodiscard]] bool has_windows() noexcept;
/// 0: no window is open, so that nobody needs what the program marks. Valid forever.
[[nodiscard]] const std::int32_t* wants_marks() noexcept;

// When the process ends: first no window opens or closes any more, then the capture that is running
// is ended, then, on a thread of our own, the files are closed and what never came is printed.
void stop_windows() noexcept;
/// Whether there is something to finish.
[[nodiscard]] bool windows_have_started() noexcept;
void finish_windows();
/// All three on request: the process may start others. False: there are none to end.
bool end_windows();

/// Around a fork, and in a child that is not captured.
void lock_windows() noexcept;
void unlock_windows() noexcept;
void forget_windows() noexcept;

}  // namespace prof::collectors
