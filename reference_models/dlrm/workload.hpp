// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DLRM as a reference program runs it.
#pragma once

#include "common/workload.hpp"
#include "dlrm/config.hpp"

namespace ref {

class DlrmWorkload final : public Workload {
 public:
  [[nodiscard]] std::string program() const override { return "ref-dlrm"; }
  [[nodiscard]] std::string description() const override;

  void declare_options(prof::tools::CommandLine& line) override;
  void use_check_sizes() override;
  void use_overfit_sizes() override;
  [[nodiscard]] std::string find_mistake() const override;

  [[nodiscard]] Throughput throughput() const override;
  [[nodiscard]] Overfit overfit() const override;
  [[nodiscard]] Ledger ledger() const override;
  [[nodiscard]] std::vector<std::string> gradient_terms() const override;

  [[nodiscard]] std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const override;
  [[nodiscard]] bool check(const std::string& dropped) const override;

 private:
  DlrmConfig config_;
};

}  // namespace ref
