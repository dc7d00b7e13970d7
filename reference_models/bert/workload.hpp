// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BERT's pre-training as a workload of the shared program.
#pragma once

#include "bert/config.hpp"
#include "common/workload.hpp"

namespace ref {

class BertWorkload final : public Workload {
 public:
  [[nodiscard]] std::string program() const override { return "ref-bert"; }
  [[nodiscard]] std::string description() const override;
  void declare_options(prof::tools::CommandLine& line) override;
  void use_check_sizes() override { config_ = bert_check_config(); }
  void use_overfit_sizes() override { config_ = bert_overfit_config(); }
  [[nodiscard]] std::string find_mistake() const override;
  [[nodiscard]] Throughput throughput() const override;
  /// No more steps: once gradients have vanished, LAMB's steps of constant length lead away again.
  [[nodiscard]] Overfit overfit() const override { return {60, 0.1}; }
  [[nodiscard]] Ledger ledger() const override;
  [[nodiscard]] std::vector<std::string> gradient_terms() const override;
  [[nodiscard]] std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const override;
  [[nodiscard]] bool check(const std::string& dropped) const override;

 private:
  BertConfig config_;
};

}  // namespace ref
