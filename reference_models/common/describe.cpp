// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See describe.hpp.
#include "common/describe.hpp"

#include <array>

namespace ref {
namespace {

prof::OpBuilder describe_product(const LinearShape& s, const LinearFusion& fusion) {
  const prof::Dims y = join(s.tokens, s.out);
  prof::OpBuilder op = prof::op("linear").fprop();
  op.in("x", join(s.tokens, s.in), s.type).in("weight", {s.out, s.in}, s.type);
  if (fusion.bias) op.in("bias", {s.out}, s.type);
  op.out("y", y, s.type);
  if (fusion.gelu) op.out("aux", y, s.type);
  if (fusion.bias) op.attr("epilogue", fusion.gelu ? "gelu_bias" : "bias");
  return op.attr("compute", "float32");
}

prof::OpBuilder describe_data_gradient(const LinearShape& s, const LinearFusion& fusion) {
  const prof::Dims dx = join(s.tokens, s.in);
  prof::OpBuilder op = prof::op("linear").bprop(prof::Part::data);
  op.in("dy", join(s.tokens, s.out), s.type).in("weight", {s.out, s.in}, s.type);
  if (fusion.dgelu) op.in("aux", dx, s.type).attr("epilogue", "dgelu");
  return op.out("dx", dx, s.type).attr("compute", "float32");
}

prof::OpBuilder describe_weight_gradient(const LinearShape& s, const LinearFusion& fusion) {
  prof::OpBuilder op = prof::op("linear").bprop(prof::Part::weight);
  op.in("dy", join(s.tokens, s.out), s.type).in("x", join(s.tokens, s.in), s.type);
  if (fusion.accumulate) op.in("dweight", {s.out, s.in}, s.type);
  return op.out("dweight", {s.out, s.in}, s.type).attr("compute", "float32");
}

prof::OpBuilder describe_bias(const LinearShape& s) {
  const prof::Dims y = join(s.tokens, s.out);
  return describe(prof::op("bias").fprop(), s.type, {{"y", y}, {"bias", {s.out}}}, {{"y", y}});
}

prof::OpBuilder describe_bias_gradient(const LinearShape& s, const LinearFusion& fusion) {
  prof::OpBuilder op = prof::op("bias").bprop(prof::Part::bias);
  op.in("dy", join(s.tokens, s.out), s.type);
  if (fusion.accumulate) op.in("dbias", {s.out}, s.type);
  return op.out("dbias", {s.out}, s.type);
}

prof::OpBuilder describe_norm(const prof::Dims& tokens, std::int64_t width, prof::DType type,
                              bool of_sum) {
  const prof::Dims x = join(tokens, width);
  const prof::Dims rows = {elements(tokens)};
  prof::OpBuilder op = prof::op(of_sum ? "add_layer_norm" : "layer_norm").fprop();
  op.in("x", x, type);
  if (of_sum) op.in("residual", x, type);
  op.in("weight", {width}, type).in("bias", {width}, type);
  if (of_sum) op.out("sum", x, type);
  return op.out("y", x, type).out("mean", rows, kFloat).out("rstd", rows, kFloat);
}

prof::OpBuilder describe_norm_gradient(const prof::Dims& tokens, std::int64_t width,
                                       prof::DType type, bool accumulate) {
  const prof::Dims x = join(tokens, width);
  const prof::Dims rows = {elements(tokens)};
  prof::OpBuilder op = prof::op("layer_norm").bprop();
  op.in("dy", x, type).in("x", x, type).in("mean", rows, kFloat).in("rstd", rows, kFloat);
  op.in("weight", {width}, type);
  if (accumulate) op.in("dx", x, type).in("dweight", {width}, type).in("dbias", {width}, type);
  return op.out("dx", x, type).out("dweight", {width}, type).out("dbias", {width}, type);
}

}  // namespace

std::int64_t elements(const prof::Dims& shape) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) count *= shape[i];
  return count;
}

prof::Dims join(const prof::Dims& shape, std::int64_t last) {
  std::array<std::int64_t, prof::Dims::kMaxRank> sizes{};
  for (std::size_t i = 0; i < shape.rank(); ++i) sizes[i] = shape[i];
  sizes[shape.rank()] = last;
  return prof::Dims::from(sizes.data(), shape.rank() + 1);
}

prof::OpBuilder describe(prof::OpBuilder op, prof::DType type, NamedShapes in, NamedShapes out) {
  for (const NamedShape& tensor : in) op.in(tensor.name, tensor.shape, type);
  for (const NamedShape& tensor : out) op.out(tensor.name, tensor.shape, type);
  return op;
}

prof::OpBuilder unary(const char* name, const prof::Dims& shape, prof::DType type) {
  return describe(prof::op(name).fprop(), type, {{"x", shape}}, {{"y", shape}});
}

prof::OpBuilder unary_gradient(const char* name, const prof::Dims& shape, prof::DType type) {
  return describe(prof::op(name).bprop(), type, {{"dy", shape}, {"y", shape}}, {{"dx", shape}});
}

prof::OpBuilder sum_of(const prof::Dims& shape) {
  return describe(prof::op("add"), kHalf, {{"a", shape}, {"b", shape}}, {{"out", shape}});
}

prof::OpBuilder cast_of(prof::OpBuilder op, const prof::Dims& shape, prof::DType from,
                        prof::DType to) {
  return op.in("x", shape, from).out("y", shape, to);
}

prof::OpBuilder embedding_gradient_of(const prof::Dims& indices, std::int64_t rows,
                                      std::int64_t width, prof::DType type) {
  const NamedShape dweight = {"dweight", {rows, width}};
  return describe(prof::op("embedding").bprop().in("indices", indices, kIndex), type,
                  {{"dout", join(indices, width)}, dweight}, {dweight})
      .attr("sorted", true);
}

LinearTexts::LinearTexts(const LinearShape& shape, const LinearFusion& fusion)
    : product(describe_product(shape, fusion)),
      bias(describe_bias(shape)),
      data_gradient(describe_data_gradient(shape, fusion)),
      weight_gradient(describe_weight_gradient(shape, fusion)),
      bias_gradient(describe_bias_gradient(shape, fusion)) {}

NormTexts::NormTexts(const prof::Dims& tokens, std::int64_t width, prof::DType type,
                     bool accumulate)
    : forward(describe_norm(tokens, width, type, false)),
      forward_sum(describe_norm(tokens, width, type, true)),
      backward(describe_norm_gradient(tokens, width, type, accumulate)) {}

}  // namespace ref
