// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See workload.hpp.
#include "bert/workload.hpp"

#include "bert/bert.hpp"
#include "bert/check.hpp"
#include "bert/ledger.hpp"
#include "common/model_trainer.hpp"

namespace ref {
std::string BertWorkload::description() const {
  return "A step of BERT's pre-training: masked words and next sentence, fp16, LAMB.";
}

void BertWorkload::declare_options(prof::tools::CommandLine& line) {
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
