/* SPDX-FileCopyrightText: The libprof authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * prof/prof.h in a C program: it compiles, and both initializers set the size.
 */
#include "prof/prof.h"

size_t options_size_in_c(void);
size_t status_size_in_c(void);

size_t options_size_in_c(void) {
  prof_options options = PROF_OPTIONS_INIT;
  return options.struct_size;
}

size_t status_size_in_c(void) {
  prof_status status = PROF_STATUS_INIT;
  return status.struct_size;
}
