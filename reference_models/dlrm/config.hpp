// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a DLRM and of its training. The defaults are the step that PyProf's table of DLRM
// shows: batch 32768, 26 tables of 100000 to 102500 rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ref {

struct DlrmConfig {
  int batch = 32768;                     // samples
  int numeric = 13;                      // numeric features of a sample
  int embeddings = 26;                   // categorical features, one table each
  std::int64_t embedding_rows = 100000;  // rows of the first table; each further one has 100 more
  int dim = 128;                         // elements of an embedding and of the bottom MLP's output
  std::vector<int> bottom = {512, 256, 128};
  std::vector<int> top = {1024, 1024, 512, 256, 1};
  float learning_rate = 0.1f;
  float loss_scale = 1024;
  std::uint64_t seed = 1;

  [[nodiscard]] std::int64_t rows(int table) const { return embedding_rows + 100 * table; }
  /// The interacting vectors: the embeddings and the bottom MLP's output.
  [[nodiscard]] int vectors() const { return embeddings + 1; }
  [[nodiscard]] int pairs() const { return vectors() * embeddings / 2; }
  /// Width of the top MLP's input: the bottom MLP's output, the pairs, and one column of zeros.
  [[nodiscard]] int concat_width() const { return dim + pairs() + 1; }
};

/// One line about what is wrong with the sizes; empty if nothing is.
[[nodiscard]] std::string find_mistake(const DlrmConfig& config);

/// The names of all contributions to the gradients, in the order of the backward pass.
[[nodiscard]] std::vector<std::string> gradient_term_names(const DlrmConfig& config);

}  // namespace ref
