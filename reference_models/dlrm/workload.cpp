// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See workload.hpp.
#include "dlrm/workload.hpp"

#include "common/model_trainer.hpp"
#include "dlrm/check.hpp"
#include "dlrm/dlrm.hpp"
#include "dlrm/ledger.hpp"

namespace ref {
std::string DlrmWorkload::description() const {
  return "A DLRM training step: 26 embeddings, two MLPs, pairwise interaction.";
}

void DlrmWorkload::declare_options(prof::tools::CommandLine& line) {
  DlrmConfig& c = config_;
  line.number("--batch", c.batch, "samples in a batch");
  line.number("--embeddings", c.embeddings, "number of embedding tables");
  line.number("--embedding-rows", c.embedding_rows,
              "rows of the first table; each further one has 100 more");
  line.number("--dim", c.dim, "elements of an embedding");
  line.numbers("--bottom", c.bottom, "widths of the bottom MLP, for example 512,256,128");
  line.numbers("--top", c.top, "widths of the top MLP, for example 1024,512,1");
  line.number("--seed", c.seed, "seed of all random numbers");
  line.number("--lr", c.learning_rate, "learning rate");
  line.number("--loss-scale", c.loss_scale, "initial loss scale");
}

void DlrmWorkload::use_check_sizes() { config_ = check_config(); }

void DlrmWorkload::use_overfit_sizes() {
  config_ = check_config();
  config_.learning_rate = 0.1f;
}

std::string DlrmWorkload::find_mistake() const { return ref::find_mistake(config_); }

Throughput DlrmWorkload::throughput() const {
  return {static_cast<double>(config_.batch), "samples"};
}

Overfit DlrmWorkload::overfit() const { return {300, 0.05}; }

Ledger DlrmWorkload::ledger() const { return dlrm_ledger(config_); }

std::vector<std::string> DlrmWorkload::gradient_terms() const {
  return gradient_term_names(config_);
}

std::unique_ptr<Trainer> DlrmWorkload::make_trainer(Gpu& gpu) const {
  return std::make_unique<ModelTrainer<Dlrm, Batch>>(gpu, config_, make_batch(config_));
}

bool DlrmWorkload::check(const std::string& dropped) const {
  return check_gradients(config_, dropped);
}

}  // namespace ref
