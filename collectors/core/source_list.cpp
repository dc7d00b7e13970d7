// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/source_list.hpp"

#include <algorithm>

namespace prof::collectors {

Status SourceList::open() {
  for (const auto& source : sources_) {
    if (Status status = source->open(); !status) {
      close();
      return status;
    }
    ++opened_;
  }
  return {};
}

void SourceList::close() {
  while (opened_ != 0) sources_[--opened_]->close();
}

void SourceList::facts(const CaptureSource::TakeFact& take) {
  for (const auto& source : sources_) source->facts(take);
}

void SourceList::connect(Recorder& recorder) {
  for (const auto& source : sources_) source->connect(recorder);
}

void SourceList::begin(ActivitySink& sink) {
  for (const auto& source : sources_) source->begin(sink);
}

void SourceList::tick(ActivitySink& sink, bool last) {
  for (const auto& source : sources_) source->tick(sink, last);
}

bool SourceList::read(ThreadId thread, const EventHeader& event, ActivitySink& sink) {
  return std::any_of(sources_.begin(), sources_.end(),
                     [&](const auto& source) { return source->read(thread, event, sink); });
}

std::optional<OpFact> SourceList::read_op(const OpEvent& op, std::string_view text,
                                          std::string_view bytes, ActivitySink& sink) {
  for (const auto& source : sources_) {
    if (auto fact = source->read_op(op, text, bytes, sink)) return fact;
  }
  return std::nullopt;
}

void SourceList::observe(const RecordBatch& batch) {
  for (const auto& source : sources_) source->observe(batch);
}

void SourceList::flush() {
  for (const auto& source : sources_) source->flush();
}

void SourceList::end_events(End end) {
  std::for_each(sources_.rbegin(), sources_.rend(),
                [end](const auto& source) { source->end_events(end); });
}

void SourceList::stop(End end, bool detach) {
  for (const auto& source : sources_) source->stop(end, detach);
}

void SourceList::disconnect() {
  for (const auto& source : sources_) source->disconnect();
}

}  // namespace prof::collectors
