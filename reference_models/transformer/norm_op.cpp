// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See norm_op.hpp.
#include "transformer/norm_op.hpp"

#include <vector>

#include "common/gpu.hpp"
#include "common/kernels/layer_norm.hpp"
#include "common/storage.hpp"

namespace ref {

template <typename T>
NormOp<T>::NormOp(const TransformerSizes& s, float epsilon, bool accumulate)
    : rows_(s.tokens()),
      width_(s.hidden),
      epsilon_(epsilon),
      accumulate_(accumulate),
      texts_({s.batch, s.length}, s.hidden, Storage<T>::kDType, accumulate),
      scratch_(layer_norm_scratch(s.hidden)) {}

template <typename T>
void NormOp<T>::forward(cudaStream_t stream, const T* x, const LayerWeights<T>& w,
                        NormOutput<T>& out) const {
  const prof::Op op(texts_.forward);
  layer_norm(stream, x, w.weight, w.bias, out.y.data(), out.mean.data(), out.rstd.data(), rows_,
             width_, epsilon_);
}

template <typename T>
void NormOp<T>::forward_sum(cudaStream_t stream, const T* x, const T* residual,
                            const LayerWeights<T>& w, T* sum, NormOutput<T>& out) const {
  const prof::Op op(texts_.forward_sum);
  add_layer_norm(stream, x, residual, w.weight, w.bias, sum, out.y.data(), out.mean.data(),
                 out.rstd.data(), rows_, width_, epsilon_);
}

template <typename T>
void NormOp<T>::backward(cudaStream_t stream, const NormOutput<T>& forward, const T* dy, const T* x,
                         T* dx, const LayerWeights<T>& w, const LayerTerms& terms) {
  if (!(terms.data && terms.weight && terms.bias) && sink_.size() == 0) {
    sink_ = DeviceBuffer<T>(std::vector<T>(volume(rows_, width_)));
  }
  const prof::Op op(texts_.backward);
  if (!terms.data && !accumulate_) clear(stream, dx, sink_.size());
  layer_norm_backward(stream, dy, x, forward.mean.data(), forward.rstd.data(), w.weight,
                      terms.data ? dx : sink_.data(), terms.weight ? w.dweight : sink_.data(),
                      terms.bias ? w.dbias : sink_.data(), scratch_.data(), rows_, width_,
                      {.dx = accumulate_, .parameters = accumulate_});
}

template class NormOp<__half>;
template class NormOp<__nv_bfloat16>;

}  // namespace ref
