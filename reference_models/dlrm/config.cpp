// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See config.hpp.
#include "dlrm/config.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/kernels/concat.hpp"

namespace ref {
namespace {

bool too_large(std::int64_t a, std::int64_t b) {
  return a * b > std::numeric_limits<std::int32_t>::max();
}

// A layer's terms; the first layer of the model has no data gradient, the last no relu.
void append_linear_terms(std::vector<std::string>& names, const std::string& layer, bool relu,
                         bool data) {
  if (relu) names.push_back(layer + ".relu");
  if (data) names.push_back(layer + ".data");
  names.push_back(layer + ".weight");
  names.push_back(layer + ".bias");
}

}  // namespace

std::string find_mistake(const DlrmConfig& c) {
  const auto positive = [](int width) { return width > 0; };
  if (c.batch < 1) return "--batch must be 1 or more";
  if (c.embeddings < 1 || c.embeddings >= kMaxConcat) {
    return "--embeddings must be 1 to " + std::to_string(kMaxConcat - 1);
  }
  if (c.embedding_rows < 1 || c.rows(c.embeddings) > std::numeric_limits<std::int32_t>::max()) {
    return "--embedding-rows must be 1 or more and fit 32 bits";
  }
  if (c.dim < 4 || c.dim % 4 != 0) return "--dim must be a multiple of 4";
  if (c.bottom.empty() || !std::all_of(c.bottom.begin(), c.bottom.end(), positive)) {
    return "--bottom must be a list of widths above 0, for example 512,256,128";
  }
  if (c.top.empty() || !std::all_of(c.top.begin(), c.top.end(), positive)) {
    return "--top must be a list of widths above 0, for example 1024,512,1";
  }
  if (c.bottom.back() != c.dim) {
    return "--bottom must end with the embedding size, " + std::to_string(c.dim);
  }
  if (c.top.back() != 1) return "--top must end with 1, the click probability's logit";
  if (!std::isfinite(c.learning_rate) || c.learning_rate < 0) return "--lr must be 0 or more";
  if (!std::isfinite(c.loss_scale) || c.loss_scale < 1) return "--loss-scale must be 1 or more";
  const int widest = std::max(*std::max_element(c.bottom.begin(), c.bottom.end()),
                              *std::max_element(c.top.begin(), c.top.end()));
  if (too_large(c.batch, std::int64_t{c.vectors()} * std::max(c.dim, c.vectors())) ||
      too_large(c.batch, widest) || too_large(c.batch, c.concat_width())) {
    return "--batch times the widest layer must stay below 2^31 elements";
  }
  return {};
}

std::vector<std::string> gradient_term_names(const DlrmConfig& c) {
  std::vector<std::string> names = {"loss.scale", "loss.gradient"};
  for (int i = static_cast<int>(c.top.size()) - 1; i >= 0; --i) {
    append_linear_terms(names, "top." + std::to_string(i), i + 1 < static_cast<int>(c.top.size()),
                        true);
  }
  names.insert(names.end(), {"interaction.index", "interaction.left", "interaction.right",
                             "concat.direct", "concat.interaction"});
  for (int i = c.embeddings - 1; i >= 0; --i) names.push_back("embedding." + std::to_string(i));
  for (int i = static_cast<int>(c.bottom.size()) - 1; i >= 0; --i) {
    append_linear_terms(names, "bottom." + std::to_string(i), true, i > 0);
  }
  names.emplace_back("loss.unscale");
  return names;
}

}  // namespace ref
