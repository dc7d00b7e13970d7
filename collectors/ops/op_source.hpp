// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes op facts (docs/op_facts.md) of what op_sink() has written. A signature is made once for all
// calls alike.
#pragma once

#include "collectors/core/recorder.hpp"

namespace prof::collectors {

/// For RecorderOptions::read_op, of one session.
decltype(RecorderOptions::read_op) op_reader();

}  // namespace prof::collectors
