// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Output, see output.hpp.
#include "tools/common/output.hpp"

#include <cerrno>

namespace prof::tools {

void Output::flush() {
  if (error_ == 0) {
    if (before_write_ && !buffer_.empty()) before_write_();
    errno = 0;
    const bool written =
        std::fwrite(buffer_.data(), 1, buffer_.size(), stream_) == buffer_.size() &&
        std::fflush(stream_) == 0;
    if (!written) error_ = errno != 0 ? errno : EIO;
  }
  buffer_.clear();
}

}  // namespace prof::tools
