/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mprof recover: a word of earlier versions, where no other command read
 * images.  An image becomes a file in pprof's format.
 */

#include "command/command.h"

#include "command/load.h"

#include <inttypes.h>

void
run_recover(const struct options *options, struct sink *sink,
            struct outcome *outcome)
{
  struct profile profile = {0};
  struct input_name name = {.path = options->files[0]};
  const struct input_list list = {.files = &name, .count = 1};
  const char *file =
      options->output != NULL ? options->output : options->files[0];
  (void)sink; /* all goes to the file */
  profile_load_list(&profile, &list, true, NULL, NULL);
  profile_save(&profile, file, true);
  mprof_line(outcome->remark,
             "wrote '%s': %" PRIu64 " allocations, %" PRIu64
             " bytes; see: mprof report %s",
             file, profile.total[MEASURE_ALLOCS],
             profile.total[MEASURE_BYTES], file);
}
