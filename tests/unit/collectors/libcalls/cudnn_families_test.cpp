// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parameters of cuDNN's wrappers, and the numbers that they go by, are those of the header.
#include <cudnn.h>
#include <gtest/gtest.h>

#include "collectors/libcalls/cudnn/backend.hpp"
#include "collectors/libcalls/cudnn/backend_operations.hpp"
#include "collectors/libcalls/cudnn/backend_table.hpp"
#include "collectors/libcalls/cudnn/form.hpp"
#include "same_call.hpp"

namespace prof::collectors {
namespace {

#define PROF_WRAPPED(library, symbol, Of, ...) \
  EXPECT_TRUE((SameCall<typename Of::Function, decltype(symbol)>::value)) << #symbol;
TEST(CudnnFamilies, AreThoseOfTheHeader){
#include "collectors/libcalls/cudnn/functions.inc"
}
#undef PROF_WRAPPED

TEST(CudnnFamilies, TypesAreThoseOfTheHeader) {
  EXPECT_EQ(word_of_cudnn_type(CUDNN_DATA_FLOAT), "float32");
  EXPECT_EQ(word_of_cudnn_type(CUDNN_DATA_HALF), "float16");
  EXPECT_EQ(word_of_cudnn_type(CUDNN_DATA_BFLOAT16), "bfloat16");
  EXPECT_EQ(word_of_cudnn_type(CUDNN_DATA_FP8_E5M2), "float8_e5m2");
  EXPECT_EQ(word_of_cudnn_type(CUDNN_DATA_COMPLEX_FP64), "complex128");
  EXPECT_EQ(type_of_cudnn(CUDNN_DATA_BOOLEAN), DataType::kBool);
  EXPECT_EQ(type_of_cudnn(CUDNN_DATA_INT64), DataType{24});
  EXPECT_EQ(type_of_cudnn(CUDNN_DATA_INT4), DataType::kUnknown);
  EXPECT_EQ(type_of_cudnn(99), DataType::kUnknown);
}

TEST(CudnnFamilies, OperationsAreThoseOfTheHeader) {
  const auto form = [](int type) { return form_of_operation(type); };
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)->word, "conv_fprop");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR)->word, "conv_dgrad");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)->word,
            "conv_wgrad");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)->word, "matmul");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)->word, "pointwise");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR)->word, "norm_backward");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)->word, "sdpa_backward");
  EXPECT_EQ(form(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR)->word, "rng");
  EXPECT_EQ(form(CUDNN_BACKEND_TENSOR_DESCRIPTOR), nullptr);
  const auto inputs = form(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR)->inputs;
  EXPECT_EQ(inputs[0], CUDNN_ATTR_OPERATION_NORM_FWD_XDESC);
  EXPECT_EQ(inputs[2], CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC);
  const auto outputs = form(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)->outputs;
  EXPECT_EQ(outputs[2], CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC);
  EXPECT_EQ(pointwise_mode(CUDNN_POINTWISE_ADD).word, "add");
  EXPECT_EQ(pointwise_mode(CUDNN_POINTWISE_BINARY_SELECT).word, "select");
  EXPECT_EQ(pointwise_mode(CUDNN_POINTWISE_GELU_APPROX_TANH_BWD).word, "gelu_tanh_backward");
  EXPECT_STREQ(norm_mode(CUDNN_RMS_NORM).forward, "cudnn::rms_norm");
  EXPECT_STREQ(reduction_op(CUDNN_REDUCE_TENSOR_AVG), "cudnn::reduce_mean");
  EXPECT_EQ(+kModeExp, CUDNN_POINTWISE_EXP);
  EXPECT_EQ(+kModeGenIndex, CUDNN_POINTWISE_GEN_INDEX);
}

TEST(CudnnFamilies, AttributesAreThoseOfTheHeader) {
  using Numbers = BackendNumbers;
  EXPECT_EQ(+Numbers::kEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  EXPECT_EQ(+Numbers::kEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(+Numbers::kPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT_EQ(+Numbers::kGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(+Numbers::kVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(+Numbers::kHeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  EXPECT_EQ(+Numbers::kHeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  EXPECT_EQ(+Numbers::kConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
  EXPECT_EQ(+Numbers::kPlanConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  EXPECT_EQ(+Numbers::kEngineGraph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  EXPECT_EQ(+Numbers::kEngineIndex, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  EXPECT_EQ(+Numbers::kFirstOverride, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS);
  EXPECT_EQ(+Attribute::kSizes, CUDNN_ATTR_TENSOR_DIMENSIONS);
  EXPECT_EQ(+Attribute::kIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  EXPECT_EQ(+Attribute::kIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  EXPECT_EQ(+Attribute::kRaggedOffsets, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
  EXPECT_EQ(+Attribute::kPointwiseMode, CUDNN_ATTR_POINTWISE_MODE);
  EXPECT_EQ(+Attribute::kPointwiseCompute, CUDNN_ATTR_POINTWISE_MATH_PREC);
  EXPECT_EQ(+Attribute::kPointwiseAxis, CUDNN_ATTR_POINTWISE_AXIS);
  EXPECT_EQ(+Attribute::kConvolutionCompute, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  EXPECT_EQ(+Attribute::kConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  EXPECT_EQ(+Attribute::kConvolutionDilation, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  EXPECT_EQ(+Attribute::kConvolutionStride, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  EXPECT_EQ(+Attribute::kConvolutionPadding, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  EXPECT_EQ(+Attribute::kPlanJson, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  EXPECT_EQ(+Attribute::kGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  EXPECT_EQ(+Attribute::kMatmulCompute, CUDNN_ATTR_MATMUL_COMP_TYPE);
  EXPECT_EQ(+Attribute::kReductionOperator, CUDNN_ATTR_REDUCTION_OPERATOR);
  EXPECT_EQ(+Attribute::kResampleMode, CUDNN_ATTR_RESAMPLE_MODE);
  EXPECT_EQ(+Attribute::kResampleWindow, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS);
  EXPECT_EQ(+Attribute::kNormPhase, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE);
  EXPECT_EQ(+Attribute::kNormBackwardMode, CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
}

}  // namespace
}  // namespace prof::collectors
