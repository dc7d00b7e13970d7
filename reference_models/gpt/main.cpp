// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-gpt: trains a GPT-2 on one synthetic batch, so that a profiler has a known step to explain.
#include "gpt/data_parallel.hpp"
#include "gpt/truth.hpp"

namespace ref {
namespace {

class GptWorkload final : public Workload {
 public:
  GptWorkload() { options_.padded_vocab = kNextMultiple; }

  [[nodiscard]] std::string program() const override { return "ref-gpt"; }
  [[nodiscard]] std::string description() const override {
    return "A GPT-2 training step in bf16: cublasLt products with fused epilogues, AdamW.";
  }

  void declare_options(prof::tools::CommandLine& line) override {
    GptConfig& c = options_;
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
  void use_check_sizes() override { options_ = gpt_check_config(); }
  void use_overfit_sizes() override { options_ = gpt_overfit_config(); }
  [[nodiscard]] std::string find_mistake() const override { return ref::find_mistake(config()); }

  [[nodiscard]] Throughput throughput() const override {
    return {static_cast<double>(options_.tokens()) * options_.gpus, "tokens"};
  }
  [[nodiscard]] Overfit overfit() const override { return {60, 0.05}; }
  [[nodiscard]] Ledger ledger() const override { return gpt_ledger(config()); }
  [[nodiscard]] std::vector<std::string> gradient_terms() const override {
    return gradient_term_names(config());
  }

  [[nodiscard]] std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const override {
    return std::make_unique<DataParallel>(gpu, config());
  }
  [[nodiscard]] bool check(const std::string& dropped) const override {
    return check_gpt(config(), dropped);
  }

 private:
  static constexpr int kNextMultiple = 0;  // of kVocabPadding, as --padded-vocab
  static constexpr int kVocabPadding = 128;

  /// The options with all sizes resolved.
  [[nodiscard]] GptConfig config() const {
    GptConfig config = options_;
    if (config.padded_vocab == kNextMultiple) {
      config.padded_vocab = (config.vocab + kVocabPadding - 1) / kVocabPadding * kVocabPadding;
    }
    return config;
  }

  GptConfig options_;
};

}  // namespace
}  // namespace ref

int main(int argc, char** argv) {
  ref::GptWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
