// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-bert: pre-trains a BERT on one synthetic batch, so that a profiler has a known step to
// explain.
#include "bert/bert.hpp"
#include "bert/truth.hpp"
#include "common/model_trainer.hpp"

namespace ref {
namespace {

class BertWorkload final : public Workload {
 public:
  [[nodiscard]] std::string program() const override { return "ref-bert"; }
  [[nodiscard]] std::string description() const override {
    return "A step of BERT's pre-training: masked words and next sentence, fp16, LAMB.";
  }

  void declare_options(prof::tools::CommandLine& line) override {
    BertConfig& c = config_;
    line.number("--batch", c.batch, "sequences in a batch");
    line.number("--length", c.length, "tokens of a sequence");
    line.number("--hidden", c.hidden, "width of a token's vector");
    line.number("--heads", c.heads, "heads of attention");
    line.number("--intermediate", c.intermediate, "width inside the feed-forward networks");
    line.number("--layers", c.layers, "encoder blocks");
    line.number("--vocabulary", c.vocabulary, "words");
    line.number("--max-positions", c.max_positions, "rows of the position table");
    line.number("--dropout", c.dropout, "probability that an element is left out");
    line.number("--seed", c.seed, "seed of all random numbers");
    line.number("--lr", c.learning_rate, "learning rate");
    line.number("--loss-scale", c.loss_scale, "initial loss scale");
  }
  void use_check_sizes() override { config_ = bert_check_config(); }
  void use_overfit_sizes() override { config_ = bert_overfit_config(); }
  [[nodiscard]] std::string find_mistake() const override { return ref::find_mistake(config_); }

  [[nodiscard]] Throughput throughput() const override {
    return {static_cast<double>(config_.batch), "sequences"};
  }
  /// No more steps: once gradients have vanished, LAMB's steps of constant length lead away again.
  [[nodiscard]] Overfit overfit() const override { return {60, 0.1}; }
  [[nodiscard]] Ledger ledger() const override { return bert_ledger(config_); }
  [[nodiscard]] std::vector<std::string> gradient_terms() const override {
    return gradient_term_names(config_);
  }

  [[nodiscard]] std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const override {
    return std::make_unique<ModelTrainer<Bert, BertBatch>>(gpu, config_, make_bert_batch(config_));
  }
  [[nodiscard]] bool check(const std::string& dropped) const override {
    return check_bert(config_, dropped);
  }

 private:
  BertConfig config_;
};

}  // namespace
}  // namespace ref

int main(int argc, char** argv) {
  ref::BertWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
