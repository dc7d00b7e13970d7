// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See workload.hpp.
#include "gpt/workload.hpp"

#include "gpt/check.hpp"
#include "gpt/data_parallel.hpp"
#include "gpt/ledger.hpp"

namespace ref {

std::string GptWorkload::description() const {
  return "A GPT-2 training step in bf16: cublasLt products with fused epilogues, AdamW.";
}

void GptWorkload::declare_options(prof::tools::CommandLine& line) {
  GptConfig& c = config_;
  line.number("--batch", c.batch, "sequences in a batch, on each GPU");
  line.number("--seq", c.length, "tokens of a sequence");
  line.number("--layers", c.layers, "transformer blocks");
  line.number("--channels", c.hidden, "elements of a token's vector");
  line.number("--heads", c.heads, "attention heads");
  line.number("--vocab", c.vocab, "words");
  line.number("--padded-vocab", c.padded_vocab,
              "rows of the embedding table; 0 is --vocab's next multiple of 128");
  line.number("--gelu-fusion", c.gelu_fusion,
              "0: GELU has kernels of its own; 1: in cublasLt's epilogue forward; 2: backward "
              "too");
  line.number("--recompute", c.recompute,
              "1: GELU's output is computed anew in the backward pass, where it is not fused");
  line.number("--lr", c.learning_rate, "learning rate");
  line.number("--weight-decay", c.weight_decay, "weight decay, of matrices only");
  line.number("--clip", c.clip, "largest norm of all gradients");
  line.number("--seed", c.seed, "seed of all random numbers");
  line.number("--validation", c.validation, "validation passes before the counted steps");
  line.flag("--graph", c.graph, "capture a step in a CUDA graph; counted steps replay it");
  line.number("--gpus", c.gpus, "GPUs, each with a batch of its own; more than 1 needs NCCL");
}

void GptWorkload::use_check_sizes() { config_ = gpt_check_config(); }

void GptWorkload::use_overfit_sizes() {
  config_ = gpt_check_config();
  config_.hidden = 128;
  config_.initial_scale = 0.05f;
  config_.learning_rate = 3e-3f;
}

GptConfig GptWorkload::config() const {
  GptConfig config = config_;
  if (config.padded_vocab == kNextMultiple) {
    config.padded_vocab = (config.vocab + kVocabPadding - 1) / kVocabPadding * kVocabPadding;
  }
  return config;
}

std::string GptWorkload::find_mistake() const { return ref::find_mistake(config()); }

Throughput GptWorkload::throughput() const {
  return {static_cast<double>(config_.tokens()) * config_.gpus, "tokens"};
}

Overfit GptWorkload::overfit() const { return {60, 0.05}; }

Ledger GptWorkload::ledger() const { return gpt_ledger(config()); }

std::vector<std::string> GptWorkload::gradient_terms() const {
  return gradient_term_names(config());
}

std::unique_ptr<Trainer> GptWorkload::make_trainer(Gpu& gpu) const {
  return std::make_unique<DataParallel>(gpu, config());
}

bool GptWorkload::check(const std::string& dropped) const { return check_gpt(config(), dropped); }

}  // namespace ref
