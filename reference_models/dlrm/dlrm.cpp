// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See dlrm.hpp.
#include "dlrm/dlrm.hpp"

#include "common/describe.hpp"
#include "common/kernels/cast.hpp"

namespace ref {
namespace {

// The first stream of random numbers of each part of the model.
constexpr std::uint64_t kBottomStream = 0;
constexpr std::uint64_t kTopStream = 500;
constexpr std::uint64_t kEmbeddingStream = 1000;

std::vector<EmbeddingTable> make_tables(Gpu& gpu, const DlrmConfig& c, const GradientTerms& terms) {
  std::vector<EmbeddingTable> tables;
  for (int i = 0; i < c.embeddings; ++i) {
    tables.emplace_back(gpu, terms, i, EmbeddingTable::Sizes{c.batch, c.rows(i), c.dim}, c.seed,
                        kEmbeddingStream + static_cast<std::uint64_t>(i));
  }
  return tables;
}

}  // namespace

Dlrm::Casts::Casts(const DlrmConfig& c)
    : numeric(cast_of(prof::op("to").fprop(), {c.batch, c.numeric}, kFloat, kHalf)),
      bottom_out(cast_of(prof::op("to").fprop(), {c.batch, c.dim}, kHalf, kFloat)),
      indices(cast_of(prof::op("to").fprop(), {c.batch, c.embeddings}, prof::DType::int64, kIndex)),
      concat(cast_of(prof::op("to").fprop(), {c.batch, c.concat_width()}, kFloat, kHalf)),
      logits(cast_of(prof::op("to").fprop(), {c.batch, 1}, kHalf, kFloat)),
      logits_backward(cast_of(prof::op("to").bprop(), {c.batch, 1}, kFloat, kHalf)),
      concat_backward(cast_of(prof::op("to").bprop(), {c.batch, c.concat_width()}, kHalf, kFloat)),
      bottom_out_backward(cast_of(prof::op("to").bprop(), {c.batch, c.dim}, kFloat, kHalf)) {}

Dlrm::Dlrm(Gpu& gpu, const DlrmConfig& c, const GradientTerms& terms)
    : gpu_(gpu),
      config_(c),
      bottom_({gpu, terms, parameters_}, "bottom", {c.batch, c.numeric, c.bottom, true, false},
              c.seed, kBottomStream),
      top_({gpu, terms, parameters_}, "top", {c.batch, c.concat_width(), c.top, false, true},
           c.seed, kTopStream),
      tables_(make_tables(gpu, c, terms)),
      interaction_(terms, c),
      concat_(terms, c),
      loss_(terms, c.batch),
      scaler_(terms, c.loss_scale),
      sgd_(c.learning_rate),
      embedding_scratch_(c.batch, c.rows(c.embeddings - 1)),
      indices_(volume(c.batch, c.embeddings)),
      numeric_half_(volume(c.batch, c.numeric)),
      concat_half_(volume(c.batch, c.concat_width())),
      bottom_out_(volume(c.batch, c.dim)),
      logits_(volume(c.batch, 1)),
      dconcat_(concat_half_.size()),
      dbottom_half_(bottom_out_.size()),
      dlogits_half_(logits_.size()),
      casts_(c) {}

void Dlrm::train_step(const Batch& batch) {
  forward(batch);
  zero_gradients();
  backward(batch);
  update();
}

void Dlrm::forward(const Batch& batch) {
  forward_bottom(batch);
  within(layers_.input, casts_.indices,
         [&] { cast(gpu_.stream, batch.categorical.data(), indices_.data(), indices_.size()); });
  std::vector<const float*> vectors = {bottom_out_.data()};
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const prof::Layer layer(tables_[i].layer());
    vectors.push_back(tables_[i].forward(gpu_, indices(i)));
  }
  const float* pairs =
      within(layers_.interaction, [&] { return interaction_.forward(gpu_, vectors); });
  within(layers_.concat, [&] { concat_out_ = concat_.forward(gpu_, bottom_out_.data(), pairs); });
  forward_top();
  const prof::Layer layer(layers_.loss);
  loss_.forward(gpu_, logits_.data(), batch.target.data(), scaler_);
}

void Dlrm::forward_bottom(const Batch& batch) {
  const prof::Layer layer(layers_.bottom);
  within(casts_.numeric, [&] {
    cast(gpu_.stream, batch.numeric.data(), numeric_half_.data(), numeric_half_.size());
  });
  const __half* out = bottom_.forward(gpu_, numeric_half_.data());
  const prof::Op op(casts_.bottom_out);
  cast(gpu_.stream, out, bottom_out_.data(), bottom_out_.size());
}

void Dlrm::forward_top() {
  const prof::Layer layer(layers_.top);
  within(casts_.concat,
         [&] { cast(gpu_.stream, concat_out_, concat_half_.data(), concat_half_.size()); });
  const __half* out = top_.forward(gpu_, concat_half_.data());
  const prof::Op op(casts_.logits);
  cast(gpu_.stream, out, logits_.data(), logits_.size());
}

void Dlrm::zero_gradients() {
  for (const Group& group : groups()) {
    const prof::Layer layer(*group.layer);
    for (Parameter* parameter : group.parameters) parameter->zero_grad(gpu_);
  }
}

void Dlrm::backward(const Batch& batch) {
  const float* dlogits = within(layers_.loss, [&] {
    return loss_.backward(gpu_, logits_.data(), batch.target.data(), scaler_);
  });
  const float* dconcat = backward_top(dlogits);
  // (batch, vectors, dim), the bottom MLP's output first
  const float* dvectors = within(layers_.interaction, [&] {
    return interaction_.backward(gpu_, dconcat + config_.dim, config_.concat_width());
  });
  const float* dnumeric =
      within(layers_.concat, [&] { return concat_.backward(gpu_, dconcat, dvectors); });
  for (std::size_t i = tables_.size(); i-- > 0;) {
    const prof::Layer layer(tables_[i].layer());
    const std::size_t offset = (i + 1) * static_cast<std::size_t>(config_.dim);
    tables_[i].backward(gpu_, indices(i), dvectors + offset,
                        std::int64_t{config_.vectors()} * config_.dim, embedding_scratch_);
  }
  backward_bottom(dnumeric);
}

const float* Dlrm::backward_top(const float* dlogits) {
  const prof::Layer layer(layers_.top);
  within(casts_.logits_backward,
         [&] { cast(gpu_.stream, dlogits, dlogits_half_.data(), dlogits_half_.size()); });
  const __half* dinput = top_.backward(gpu_, dlogits_half_.data());
  const prof::Op op(casts_.concat_backward);
  cast(gpu_.stream, dinput, dconcat_.data(), dconcat_.size());
  return dconcat_.data();
}

void Dlrm::backward_bottom(const float* dnumeric) {
  const prof::Layer layer(layers_.bottom);
  within(casts_.bottom_out_backward,
         [&] { cast(gpu_.stream, dnumeric, dbottom_half_.data(), dbottom_half_.size()); });
  bottom_.backward(gpu_, dbottom_half_.data());
}

void Dlrm::update() {
  within(layers_.loss, [&] { scaler_.clear(gpu_); });
  // All gradients are checked before the first parameter moves: a step is applied completely or not
  // at all.
  for (const Group& group : groups()) {
    const prof::Layer layer(*group.layer);
    for (Parameter* parameter : group.parameters) {
      parameter->unscale(gpu_, scaler_.state(), scaler_.divides());
    }
  }
  for (const Group& group : groups()) {
    const prof::Layer layer(*group.layer);
    for (Parameter* parameter : group.parameters) sgd_.step(gpu_, *parameter, scaler_.state());
  }
  const prof::Layer layer(layers_.loss);
  scaler_.adjust(gpu_);
}

float Dlrm::loss() {
  const prof::Layer layer(layers_.loss);
  return loss_.read(gpu_);
}

const std::int32_t* Dlrm::indices(std::size_t table) const {
  return indices_.data() + table * static_cast<std::size_t>(config_.batch);
}

std::vector<Dlrm::Group> Dlrm::groups() {
  std::vector<Group> groups = {{&layers_.bottom, bottom_.parameters()}};
  for (EmbeddingTable& table : tables_) groups.push_back({&table.layer(), {&table.weight()}});
  groups.push_back({&layers_.top, top_.parameters()});
  return groups;
}

std::vector<Parameter*> Dlrm::parameters() {
  std::vector<Parameter*> all;
  for (const Group& group : groups()) {
    all.insert(all.end(), group.parameters.begin(), group.parameters.end());
  }
  return all;
}

}  // namespace ref
