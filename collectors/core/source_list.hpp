// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SourceList: the sources of one capture, taken through their life together (capture_source.hpp). A
// later source in the list may add to an earlier one: it begins later, and its events end first.
// Same threads as CaptureSource's functions.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "collectors/core/capture_source.hpp"

namespace prof::collectors {

class SourceList final : public RecorderClient {
 public:
  void add(std::unique_ptr<CaptureSource> source) { sources_.push_back(std::move(source)); }

  /// After an error no source is open.
  Status open();
  /// Undoes open(), in the reverse order.
  void close();
  void facts(const CaptureSource::TakeFact& take);
  void connect(Recorder& recorder);
  void begin(ActivitySink& sink) override;
  void tick(ActivitySink& sink, bool last) override;
  /// The source whose event or op it is reads it.
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override;
  std::optional<OpFact> read_op(const OpEvent& op, std::string_view text, std::string_view bytes,
                                ActivitySink& sink) override;
  void observe(const RecordBatch& batch) override;
  void flush();
  /// Ends the sources in the reverse order.
  void end_events(End end);
  void stop(End end, bool detach);
  void disconnect();

 private:
  std::vector<std::unique_ptr<CaptureSource>> sources_;
  std::size_t opened_ = 0;  // Number of open sources, the first ones of the list.
};

}  // namespace prof::collectors
