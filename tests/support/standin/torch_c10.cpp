// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_c10.hpp"

// Here, so that the class's virtual table is, too.
c10::TensorImpl::~TensorImpl() = default;
