// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows from records of GPU work, whose origins, queues and launch parameters are interned.
#pragma once

#include <cstdint>

#include "libprof/model/records.hpp"
#include "libprof/store/schema/launch_tables.hpp"
#include "libprof/store/write/block_starts.hpp"
#include "libprof/store/write/bounded_interner.hpp"
#include "libprof/store/write/row_writer.hpp"

namespace prof {

class WorkRows {
 public:
  void store(RowWriter& rows, const KernelRecord& record);
  void store(RowWriter& rows, const MemcpyRecord& record);
  void store(RowWriter& rows, const MemsetRecord& record);
  void on_commit();
  /// Rows put since the last commit are not in the file.
  void on_rollback();

 private:
  template <const schema::Table& kTable>
  void store_form(RowWriter& rows, RowWriter::Repeat& repeat, const GpuWork& work,
                  std::int64_t form);
  std::int64_t origin_id(RowWriter& rows, const GpuWork& work);
  std::int64_t queue_id(RowWriter& rows, const GpuWork& work);
  std::int64_t config_id(RowWriter& rows, const KernelRecord& record);

  template <typename Action>
  void each_interner(Action action) {
    action(origins_);
    action(queues_);
    action(configs_);
    action(kernel_forms_);
    action(memset_forms_);
  }

  BoundedInterner<3> origins_{1 << 18};
  BoundedInterner<3> queues_{1 << 14};
  BoundedInterner<9> configs_{1 << 16};
  BoundedInterner<2> kernel_forms_{1 << 16};
  BoundedInterner<4> memset_forms_{1 << 16};
  BlockStarts<schema::kLaunchBlockTable> blocks_;
  RowWriter::Repeat kernel_repeat_, memcpy_repeat_, memset_repeat_;
};

}  // namespace prof
