// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that is profiled without knowing it has no commands for the profiler.
#include "runner.hpp"

void add_prof_commands(CommandTable&) {}
