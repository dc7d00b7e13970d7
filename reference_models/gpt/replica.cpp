// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See replica.hpp.
#include "gpt/replica.hpp"

#include <string>

#include "common/checksum.hpp"

namespace ref {
namespace {

// A stream of random numbers, far above those of the ranks' batches to learn.
constexpr std::uint64_t kValidationStream = 1'000'000;

std::vector<Tokens> make_validation_tokens(const GptConfig& config, int rank) {
  std::vector<Tokens> passes;
  const std::uint64_t first = kValidationStream * static_cast<std::uint64_t>(rank + 1);
  for (int pass = 0; pass < config.validation; ++pass) {
    passes.emplace_back(make_tokens(config, first + static_cast<std::uint64_t>(pass)));
  }
  return passes;
}

}  // namespace

StepGraph::~StepGraph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void StepGraph::end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  check(status);
}

Replica::Replica(Gpu& gpu, const GptConfig& config, Communicator* communicator, int rank)
    : gpu_(gpu),
      replays_(config.graph),
      tokens_(make_tokens(config, kTokenStream + static_cast<std::uint64_t>(rank))),
      validation_(make_validation_tokens(config, rank)),
      model_(gpu, config, {}, communicator) {}

void Replica::before_steps() {
  if (!validation_.empty()) validate();
  model_.prepare();
  if (!replays_) return;
  graph_.capture(gpu_.stream, [this] { model_.train_step(tokens_); });
}

void Replica::validate() {
  const Range range("validation");
  for (const Tokens& tokens : validation_) model_.validate(tokens);
}

void Replica::train_step() {
  if (graph_.captured()) {
    graph_.launch(gpu_.stream);
  } else {
    model_.train_step(tokens_);
  }
}

void Replica::counted_step(int number) {
  const Range range(("Train step " + std::to_string(number)).c_str());
  train_step();
}

std::uint64_t Replica::checksum() const {
  Checksum sum;
  sum.add(model_.parameters().values());
  sum.add(model_.optimizer().masters());
  return sum.value();
}

}  // namespace ref
