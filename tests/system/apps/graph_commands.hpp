// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "standin.hpp"

/// Of the kernels that scripts launch or put into graphs.
inline constexpr standin::Size3 kGrid{3, 2, 1}, kBlock{128, 1, 1};

struct ScriptGraph;

/// The graph that the calling thread captures; null: its work runs.
ScriptGraph* captured_graph();
