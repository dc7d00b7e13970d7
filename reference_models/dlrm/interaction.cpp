// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See interaction.hpp.
#include "dlrm/interaction.hpp"

#include "common/describe.hpp"
#include "common/kernels/concat.hpp"
#include "common/kernels/elementwise.hpp"
#include "common/kernels/gather.hpp"

namespace ref {
namespace {

// Row-major positions below the diagonal of an n x n matrix.
std::vector<std::int32_t> lower_triangle(int n) {
  std::vector<std::int32_t> positions;
  for (int row = 1; row < n; ++row) {
    for (int col = 0; col < row; ++col) positions.push_back(row * n + col);
  }
  return positions;
}

std::vector<std::int32_t> invert(const std::vector<std::int32_t>& indices, int size) {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(size), -1);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    positions[static_cast<std::size_t>(indices[i])] = static_cast<std::int32_t>(i);
  }
  return positions;
}

DeviceBuffer<float> zeros(std::size_t size) {
  DeviceBuffer<float> buffer(size);
  check(cudaMemset(buffer.data(), 0, size * sizeof(float)));
  check(cudaDeviceSynchronize());  // a memset may return early, and our stream does not wait for it
  return buffer;
}

prof::OpBuilder describe_stack(const DlrmConfig& c) {
  prof::OpBuilder op = prof::op("cat").fprop();
  for (int i = 0; i < c.vectors(); ++i) op.in("x" + std::to_string(i), {c.batch, c.dim}, kFloat);
  return op.out("out", {c.batch, c.vectors(), c.dim}, kFloat);
}

// A gradient of Z = T T^T: dZ T, or with trans_a dZ^T T.
prof::OpBuilder describe_gradient(const DlrmConfig& c, const char* out, bool trans_a) {
  return prof::op("bmm")
      .bprop(prof::Part::data)
      .in("a", {c.batch, c.vectors(), c.vectors()}, kFloat)
      .in("b", {c.batch, c.vectors(), c.dim}, kFloat)
      .out(out, {c.batch, c.vectors(), c.dim}, kFloat)
      .attr("trans_a", trans_a)
      .attr("trans_b", false);
}

}  // namespace

Interaction::Texts::Texts(const DlrmConfig& c)
    : cat(describe_stack(c)),
      product(prof::op("bmm")
                  .fprop()
                  .in("a", {c.batch, c.vectors(), c.dim}, kFloat)
                  .in("b", {c.batch, c.vectors(), c.dim}, kFloat)
                  .out("out", {c.batch, c.vectors(), c.vectors()}, kFloat)
                  .attr("trans_a", false)
                  .attr("trans_b", true)),
      index(prof::op("index")
                .fprop()
                .in("x", {c.batch, c.vectors(), c.vectors()}, kFloat)
                .in("indices", {c.pairs()}, prof::DType::int32)
                .out("out", {c.batch, c.pairs()}, kFloat)),
      index_backward(prof::op("index")
                         .bprop()
                         .in("dout", {c.batch, c.pairs()}, kFloat)
                         .in("indices", {c.pairs()}, prof::DType::int32)
                         .out("dx", {c.batch, c.vectors(), c.vectors()}, kFloat)),
      left(describe_gradient(c, "da", false)),
      right(describe_gradient(c, "db", true)),
      add(prof::op("add")
              .bprop()
              .in("a", {c.batch, c.vectors(), c.dim}, kFloat)
              .in("b", {c.batch, c.vectors(), c.dim}, kFloat)
              .out("out", {c.batch, c.vectors(), c.dim}, kFloat)) {}

Interaction::Interaction(const GradientTerms& terms, const DlrmConfig& c)
    : batch_(c.batch),
      vectors_(c.vectors()),
      dim_(c.dim),
      pairs_(c.pairs()),
      keep_index_(terms.keep("interaction.index")),
      keep_left_(terms.keep("interaction.left")),
      keep_right_(terms.keep("interaction.right")),
      lower_(lower_triangle(vectors_)),
      positions_(invert(lower_triangle(vectors_), vectors_ * vectors_)),
      stacked_(volume(batch_, vectors_, dim_)),
      products_(volume(batch_, vectors_, vectors_)),
      out_(volume(batch_, pairs_, 1)),
      dproducts_(zeros(products_.size())),
      dleft_(zeros(stacked_.size())),
      dright_(zeros(stacked_.size())),
      dstacked_(stacked_.size()),
      texts_(c) {}

const float* Interaction::forward(Gpu& gpu, const std::vector<const float*>& vectors) {
  const cudaStream_t stream = gpu.stream;
  {
    const prof::Op op(texts_.cat);
    ConcatSources sources{};
    for (int i = 0; i < vectors_; ++i) sources.data[i] = vectors[static_cast<std::size_t>(i)];
    concat_equal(stream, sources, vectors_, stacked_.data(), batch_, dim_);
  }
  {
    const prof::Op op(texts_.product);
    gpu.blas.batched({vectors_, vectors_, dim_, batch_, false, true}, stacked_.data(),
                     stacked_.data(), products_.data());
  }
  within(texts_.index, [&] {
    gather_columns(stream, products_.data(), lower_.data(), out_.data(), batch_,
                   vectors_ * vectors_, pairs_);
  });
  return out_.data();
}

const float* Interaction::backward(Gpu& gpu, const float* dpairs, int pitch) {
  const cudaStream_t stream = gpu.stream;
  if (keep_index_) {
    const prof::Op op(texts_.index_backward);
    gather_columns_backward(stream, dpairs, pitch, positions_.data(), dproducts_.data(), batch_,
                            vectors_ * vectors_);
  }
  if (keep_left_) {
    const prof::Op op(texts_.left);
    gpu.blas.batched({vectors_, dim_, vectors_, batch_, false, false}, dproducts_.data(),
                     stacked_.data(), dleft_.data());
  }
  if (keep_right_) {
    const prof::Op op(texts_.right);
    gpu.blas.batched({vectors_, dim_, vectors_, batch_, true, false}, dproducts_.data(),
                     stacked_.data(), dright_.data());
  }
  within(texts_.add,
         [&] { add(stream, dleft_.data(), dright_.data(), dstacked_.data(), dstacked_.size()); });
  return dstacked_.data();
}

Concat::Concat(const GradientTerms& terms, const DlrmConfig& c)
    : batch_(c.batch),
      vectors_(c.vectors()),
      dim_(c.dim),
      pairs_(c.pairs()),
      width_(c.concat_width()),
      keep_direct_(terms.keep("concat.direct")),
      keep_interaction_(terms.keep("concat.interaction")),
      padding_(zeros(volume(batch_, 1, 1))),
      out_(volume(batch_, width_, 1)),
      dnumeric_(volume(batch_, dim_, 1)),
      zero_row_(zeros(static_cast<std::size_t>(dim_))),
      cat_text_(prof::op("cat")
                    .fprop()
                    .in("numeric", {c.batch, c.dim}, kFloat)
                    .in("pairs", {c.batch, c.pairs()}, kFloat)
                    .in("padding", {c.batch, 1}, kFloat)
                    .out("out", {c.batch, c.concat_width()}, kFloat)),
      add_text_(prof::op("add")
                    .bprop()
                    .in("a", {c.batch, c.dim}, kFloat)
                    .in("b", {c.batch, c.dim}, kFloat)
                    .out("out", {c.batch, c.dim}, kFloat)) {}

const float* Concat::forward(Gpu& gpu, const float* numeric, const float* pairs) {
  const prof::Op op(cat_text_);
  concat_three(gpu.stream, {numeric, dim_}, {pairs, pairs_}, {padding_.data(), 1}, out_.data(),
               batch_);
  return out_.data();
}

const float* Concat::backward(Gpu& gpu, const float* dconcat, const float* dstacked) {
  const prof::Op op(add_text_);
  // An omitted term is read from one row of zeros.
  const float* direct = keep_direct_ ? dconcat : zero_row_.data();
  const float* interaction = keep_interaction_ ? dstacked : zero_row_.data();
  add_slices(gpu.stream, direct, keep_direct_ ? width_ : 0, interaction,
             keep_interaction_ ? vectors_ * dim_ : 0, dnumeric_.data(), batch_, dim_);
  return dnumeric_.data();
}

}  // namespace ref
