// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The record stream: the facts that a capture records, without interpretation. Collectors produce
// these structs; a RecordSink (source/record_sink.hpp) consumes them: the store, the text form of
// the stream, or both. Texts are referred to by StringId and defined by a StringRecord before their
// first use. Each kind has a header in records/, which also describes it (record_kind.hpp); the
// list of kinds is in CMakeLists.txt.
#pragma once

#include "libprof/model/record_list.hpp"
