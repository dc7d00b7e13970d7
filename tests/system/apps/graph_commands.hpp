// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

struct ScriptGraph;

/// The graph that the calling thread captures; null: its work runs.
ScriptGraph* captured_graph();
