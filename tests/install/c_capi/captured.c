/* SPDX-FileCopyrightText: The libprof authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A user's program in C that asks for a capture. Here, with no GPU, it must get an error that says
 * why, from the collector that was installed beside the library.
 */
#include <prof/prof.h>
#include <stdio.h>

int main(void) {
  prof_options options = PROF_OPTIONS_INIT;
  prof_status status = PROF_STATUS_INIT;
  options.output = "captured.db";
  const prof_result result = prof_start(&options);
  printf("prof %s: %s\n", prof_version(), prof_strerror(result));
  printf("%s\n", prof_last_error());
  if (result == PROF_OK) return prof_stop() == PROF_OK ? 0 : 1;
  if (result == PROF_ERROR_NO_COLLECTOR || result == PROF_ERROR_INVALID_ARGUMENT) return 2;
  return prof_get_status(&status) == PROF_OK && !status.running ? 0 : 3;
}
