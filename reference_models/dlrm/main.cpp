// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-dlrm: trains a DLRM on one synthetic batch, so that a profiler has a known step to explain.
#include "common/model_trainer.hpp"
#include "dlrm/dlrm.hpp"
#include "dlrm/truth.hpp"

namespace ref {
namespace {

class DlrmWorkload final : public Workload {
 public:
  [[nodiscard]] std::string program() const override { return "ref-dlrm"; }
  [[nodiscard]] std::string description() const override {
    return "A DLRM training step: 26 embeddings, two MLPs, pairwise interaction.";
  }

  void declare_options(prof::tools::CommandLine& line) override {
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
  void use_check_sizes() override { config_ = check_config(); }
  void use_overfit_sizes() override {
    config_ = check_config();
    config_.learning_rate = 0.1f;
  }
  [[nodiscard]] std::string find_mistake() const override { return ref::find_mistake(config_); }

  [[nodiscard]] Throughput throughput() const override {
    return {static_cast<double>(config_.batch), "samples"};
  }
  [[nodiscard]] Overfit overfit() const override { return {300, 0.05}; }
  [[nodiscard]] Ledger ledger() const override { return dlrm_ledger(config_); }
  [[nodiscard]] std::vector<std::string> gradient_terms() const override {
    return gradient_term_names(config_);
  }

  [[nodiscard]] std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const override {
    return std::make_unique<ModelTrainer<Dlrm, Batch>>(gpu, config_, make_batch(config_));
  }
  [[nodiscard]] bool check(const std::string& dropped) const override {
    return check_gradients(config_, dropped);
  }

 private:
  DlrmConfig config_;
};

}  // namespace
}  // namespace ref

int main(int argc, char** argv) {
  ref::DlrmWorkload workload;
  return ref::run_workload(workload, argc, argv);
}
