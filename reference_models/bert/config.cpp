// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See config.hpp.
#include "bert/config.hpp"

#include <cmath>
#include <limits>

#include "common/kernels/softmax.hpp"

namespace ref {
namespace {

void append(std::vector<std::string>& names, const std::string& prefix,
            const std::vector<std::string>& terms) {
  for (const std::string& term : terms) names.push_back(prefix + term);
}

void append_block(std::vector<std::string>& names, const std::string& block) {
  const std::string ffn = block + "ffn.";
  append(names, ffn + "norm.", {"weight", "bias", "data"});
  append(names, ffn, {"dropout"});
  append(names, ffn + "out.", {"bias", "data", "weight"});
  append(names, ffn + "gelu.", {"data", "bias"});
  append(names, ffn + "in.", {"data", "weight"});
  append(names, ffn, {"residual"});
  const std::string attention = block + "attention.";
  append(names, attention + "norm.", {"weight", "bias", "data"});
  append(names, attention, {"dropout"});
  append(names, attention + "out.", {"bias", "data", "weight"});
  append(names, attention,
         {"probabilities", "values", "probability_dropout", "softmax", "scale", "queries", "keys"});
  append(names, attention + "v.", {"bias", "data", "weight"});
  append(names, attention + "k.", {"data", "weight"});
  append(names, attention + "q.", {"bias", "data", "weight"});
  append(names, attention, {"residual"});
}

}  // namespace

BertConfig bert_check_config() {
  BertConfig config;
  config.batch = 3;
  config.length = 16;
  config.hidden = 32;
  config.heads = 4;
  config.intermediate = 64;
  config.vocabulary = 64;
  config.max_positions = 24;
  config.learning_rate = 0.02f;
  return config;
}

BertConfig bert_overfit_config() {
  BertConfig config;
  config.length = 32;
  config.hidden = 128;
  config.heads = 4;
  config.intermediate = 512;
  config.vocabulary = 512;
  config.max_positions = 64;
  config.dropout = 0;
  config.learning_rate = 0.01f;
  return config;
}

std::string find_mistake(const BertConfig& c) {
  if (c.batch < 1) return "--batch must be 1 or more";
  if (c.layers < 1) return "--layers must be 1 or more";
  if (c.length < 8 || c.length > kMaxSoftmaxCols || c.length % 8 != 0) {
    return "--length must be a multiple of 8, 2048 at most";
  }
  if (c.max_positions < c.length) return "--max-positions must be --length or more";
  if (c.heads < 1 || c.hidden < 8 || c.hidden % (8 * c.heads) != 0) {
    return "--hidden must be a multiple of 8 times --heads";
  }
  if (c.intermediate < 8 || c.intermediate % 8 != 0) {
    return "--intermediate must be a multiple of 8";
  }
  if (c.vocabulary < 16 || c.vocabulary % 8 != 0) {
    return "--vocabulary must be a multiple of 8, 16 or more";
  }
  if (!(c.dropout >= 0 && c.dropout < 1)) return "--dropout must be 0 or more, and below 1";
  if (!std::isfinite(c.learning_rate) || c.learning_rate < 0) return "--lr must be 0 or more";
  if (!(c.loss_scale >= 1 && c.loss_scale <= 32768)) {
    return "--loss-scale must be 1 to 32768, to fit fp16";
  }
  const auto fits = [&](std::int64_t width) {
    return std::int64_t{c.tokens()} * width < std::numeric_limits<std::int32_t>::max() / 2;
  };
  if (!fits(c.vocabulary) || !fits(c.intermediate) || !fits(std::int64_t{c.heads} * c.length)) {
    return "--batch times --length times the widest tensor must stay below 2^30 elements";
  }
  return {};
}

std::vector<std::string> gradient_term_names(const BertConfig& c) {
  std::vector<std::string> names = {"loss.scale", "nsp.loss", "mlm.loss"};
  append(names, "nsp.classifier.", {"data", "weight", "bias"});
  append(names, "mlm.decoder.", {"bias", "data", "weight"});
  append(names, "mlm.norm.", {"weight", "bias", "data"});
  append(names, "mlm.gelu.", {"data", "bias"});
  append(names, "mlm.transform.", {"data", "weight"});
  append(names, "nsp.", {"tanh"});
  append(names, "nsp.pooler.", {"bias", "data", "weight"});
  append(names, "heads.", {"nsp", "mlm"});
  for (int i = c.layers - 1; i >= 0; --i) {
    append_block(names, "encoder." + std::to_string(i) + ".");
  }
  append(names, "embedding.",
         {"dropout", "norm.weight", "norm.bias", "norm.data", "segment", "position", "token"});
  names.emplace_back("loss.unscale");
  return names;
}

}  // namespace ref
