// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of --export need: two ranks with a thread that launches, and the bytes of a format.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/export/formats/registry.hpp"

namespace prof::reports {

/// Two traces, each with calls at 100, 200, ... that take 20 ns and launch a kernel each, 50 ns
/// later.
class ExportTest : public testing::Test {
 protected:
  ExportTest() {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      FakeTrace& trace = traces_[rank];
      trace.path_ = rank == 0 ? "/tmp/a.db" : "/tmp/b.db";
      trace.meta_ = {{"host", "node1"}, {"env.RANK", std::to_string(rank)}};
      trace.start_realtime_ns_ = 1'000'000;
      trace.strings_[1] = "cudaLaunchKernel";
      trace.threads_ = {{.id = ThreadId{1}, .process = 7, .os_tid = 70 + rank, .name = "main"}};
      trace.devices_.push_back({.device = 0, .name = "NVIDIA H200", .uuid = ""});
    }
  }

  /// The rank's next call and its kernel.
  FakeWork::Item& launch(std::size_t rank, std::string name, std::int64_t duration_ns) {
    FakeTrace& trace = traces_[rank];
    ApiCallRow& call = trace.api_calls_.emplace_back();
    call.correlation = trace.api_calls_.size();
    call.function = StringId{1};
    call.thread = ThreadId{1};
    call.start_ns = static_cast<std::int64_t>(100 * trace.api_calls_.size());
    call.duration_ns = 20;
    FakeWork::Item& item = work_[rank].kernel(std::move(name), duration_ns);
    item.gpu.launched = true;
    item.gpu.launch = item.gpu.correlation = call.correlation;
    item.gpu.thread = call.thread;
    item.gpu.launch_start_ns = *call.start_ns;
    item.gpu.start_ns = *call.start_ns + 50;
    item.gpu.context = 1;
    item.gpu.stream = 7;
    return item;
  }

  std::string exported(std::string_view word, std::size_t traces = 2, RowFilter filter = {}) {
    formats::Registry registry;
    formats::register_builtin(registry);
    std::vector<TraceReader*> readers;
    for (std::size_t rank = 0; rank < traces; ++rank) readers.push_back(&traces_[rank]);
    const TraceSet set = traces_of(readers);
    const auto attribute = [this](TraceReader& trace, TraceReader::Work) {
      return std::make_unique<LentWork>(work_[&trace == &traces_[0] ? 0 : 1]);
    };
    Reading reading(attribute, Reading::Keeps::kNothing, traces);
    RankWaits waits;
    if (tell_waits_) tell_waits_(set, waits);
    const FindRankWaits find_waits = [&waits]() -> Result<const RankWaits*> { return &waits; };
    return output_of([&](tools::Output& output) {
      const Status status =
          registry.find(word)->write({set, reading, filter, tally_, find_waits}, output);
      EXPECT_TRUE(status) << status.error().to_line();
    });
  }

  std::array<FakeTrace, 2> traces_;
  std::array<FakeWork, 2> work_;
  /// What is known of ranks that wait for each other.
  std::function<void(const TraceSet&, RankWaits&)> tell_waits_;
  Tally tally_;
};

/// A name as a program may pass it, and as a file has it.
inline constexpr std::string_view kBadName = "half\xC3(int)", kGoodName = "half\xEF\xBF\xBD(int)";

}  // namespace prof::reports
