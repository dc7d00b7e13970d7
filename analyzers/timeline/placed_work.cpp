// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/placed_work.hpp"

#include "analyzers/base/number_code.hpp"

namespace prof {
namespace {

enum Flag : std::uint8_t { kIsLaunched = 1, kIsQuietInCode = 2, kHasOps = 4, kHasPython = 8 };

}  // namespace

void PlacedWork::append(bool with_launch, std::string& to) const {
  append_difference(to, end_ns, begin_ns);
  append_varint(to, capture ? std::uint64_t{*capture} + 1 : 0);
  to.push_back(static_cast<char>(state));
  if (!with_launch) return;
  const WayToLaunch& way = launch.way;
  const bool has_python = way.python_begin_ns != 0 || way.python_end_ns != 0;
  to.push_back(static_cast<char>((launch.launched ? kIsLaunched : 0) |
                                 (way.is_quiet_in_code ? kIsQuietInCode : 0) |
                                 (way.has_ops ? kHasOps : 0) | (has_python ? kHasPython : 0)));
  append_varint(to, stream);
  append_varint(to, op);
  append_varint(to, layer);
  if (!launch.launched) return;
  append_varint(to, launch.thread.value);
  to.push_back(static_cast<char>(launch.call));
  append_difference(to, launch.launch_begin_ns, begin_ns);
  append_difference(to, launch.launch_end_ns, launch.launch_begin_ns);
  append_difference(to, way.quiet_begin_ns, launch.launch_begin_ns);
  append_difference(to, way.quiet_end_ns, way.quiet_begin_ns);
  if (!has_python) return;
  append_difference(to, way.python_begin_ns, launch.launch_begin_ns);
  append_difference(to, way.python_end_ns, way.python_begin_ns);
}

PlacedWork PlacedWork::of(std::int64_t begin_ns, std::string_view bytes, bool with_launch) {
  TakeNumbers taker(bytes.data());
  PlacedWork work;
  work.begin_ns = begin_ns;
  work.end_ns = taker.behind(begin_ns);
  if (const std::uint64_t number = taker.number(); number != 0) {
    work.capture = static_cast<std::uint32_t>(number - 1);
  }
  work.state = static_cast<DeviceState>(taker.byte());
  if (!with_launch) return work;
  const std::uint8_t flags = taker.byte();
  work.stream = static_cast<std::uint32_t>(taker.number());
  work.op = static_cast<std::uint32_t>(taker.number());
  work.layer = static_cast<std::uint32_t>(taker.number());
  NextWork& launch = work.launch;
  WayToLaunch& way = launch.way;
  launch.launched = (flags & kIsLaunched) != 0;
  way.is_quiet_in_code = (flags & kIsQuietInCode) != 0;
  way.has_ops = (flags & kHasOps) != 0;
  if (!launch.launched) return work;
  launch.thread.value = static_cast<std::uint32_t>(taker.number());
  launch.call = static_cast<IdleCause>(taker.byte());
  launch.launch_begin_ns = taker.behind(begin_ns);
  launch.launch_end_ns = taker.behind(launch.launch_begin_ns);
  way.quiet_begin_ns = taker.behind(launch.launch_begin_ns);
  way.quiet_end_ns = taker.behind(way.quiet_begin_ns);
  if ((flags & kHasPython) == 0) return work;
  way.python_begin_ns = taker.behind(launch.launch_begin_ns);
  way.python_end_ns = taker.behind(way.python_begin_ns);
  return work;
}

}  // namespace prof
