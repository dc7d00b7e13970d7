// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-gpt as a workload.
#pragma once

#include "common/workload.hpp"
#include "gpt/config.hpp"

namespace ref {

class GptWorkload final : public Workload {
 public:
  GptWorkload() { config_.padded_vocab = kNextMultiple; }

  [[nodiscard]] std::string program() const override { return "ref-gpt"; }
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
  static constexpr int kNextMultiple = 0;  // of kVocabPadding, as --padded-vocab
  static constexpr int kVocabPadding = 128;

  /// The options with all sizes resolved.
  [[nodiscard]] GptConfig config() const;

  GptConfig config_;
};

}  // namespace ref
