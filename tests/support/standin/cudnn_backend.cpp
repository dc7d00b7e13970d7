// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuDNN's backend: descriptors that keep nothing, heuristics with one answer, plans
// that launch a kernel. Freed descriptors' addresses are given again, as those of the real one.
#include <cudnn.h>

#include <cstring>

#include "library_launch.hpp"

namespace {

cudnnStatus_t launch(const char* function) {
  return standin_launch(function) == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // namespace

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* made) {
  *made = new int(type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<int*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
                                       cudnnBackendAttributeType_t, int64_t, const void*) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, int64_t room, int64_t* count,
                                       void* elements) {
  *count = 1;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION && room > 2) {
    std::memcpy(elements, "{}", 2);
    *count = 2;
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t,
                                  cudnnBackendDescriptor_t) {
  return launch("cudnnBackendExecute");
}
cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t, cudnnBackendDescriptor_t,
                                            cudnnBackendDescriptor_t, cudaGraph_t) {
  return launch("cudnnBackendPopulateCudaGraph");
}
cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t, cudnnBackendDescriptor_t,
                                          cudnnBackendDescriptor_t, cudaGraph_t) {
  return CUDNN_STATUS_SUCCESS;
}
