// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See workload.hpp.
#include "bert/workload.hpp"

#include <CLI/CLI.hpp>

#include "bert/bert.hpp"
#include "bert/check.hpp"
#include "bert/ledger.hpp"
#include "common/model_trainer.hpp"

namespace ref {
std::string BertWorkload::description() const {
  return "A step of BERT's pre-training: masked words and next sentence, fp16, LAMB.";
}

void BertWorkload::declare_options(CLI::App& app) {
  BertConfig& c = config_;
  app.add_option("--batch", c.batch, "sequences in a batch")->capture_default_str();
  app.add_option("--length", c.length, "tokens of a sequence")->capture_default_str();
  app.add_option("--hidden", c.hidden, "width of a token's vector")->capture_default_str();
  app.add_option("--heads", c.heads, "heads of attention")->capture_default_str();
  app.add_option("--intermediate", c.intermediate, "width inside the feed-forward networks")
      ->capture_default_str();
  app.add_option("--layers", c.layers, "encoder blocks")->capture_default_str();
  app.add_option("--vocabulary", c.vocabulary, "words")->capture_default_str();
  app.add_option("--max-positions", c.max_positions, "rows of the position table")
      ->capture_default_str();
  app.add_option("--dropout", c.dropout, "probability that an element is left out")
      ->capture_default_str();
  app.add_option("--seed", c.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--lr", c.learning_rate, "learning rate")->capture_default_str();
  app.add_option("--loss-scale", c.loss_scale, "initial loss scale")->capture_default_str();
}

std::string BertWorkload::find_mistake() const { return ref::find_mistake(config_); }

Throughput BertWorkload::throughput() const {
  return {static_cast<double>(config_.batch), "sequences"};
}

Ledger BertWorkload::ledger() const { return bert_ledger(config_); }

std::vector<std::string> BertWorkload::gradient_terms() const {
  return gradient_term_names(config_);
}

std::unique_ptr<Trainer> BertWorkload::make_trainer(Gpu& gpu) const {
  return std::make_unique<ModelTrainer<Bert, BertBatch>>(gpu, config_, make_bert_batch(config_));
}

bool BertWorkload::check(const std::string& dropped) const { return check_bert(config_, dropped); }

}  // namespace ref
