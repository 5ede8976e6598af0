/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shipper of a Lisp process, with types that Lisp can pass. */

#include "serve/lisp_ship.h"

#include "serve/lisp_program.h"

static char message[PROGRAM_MESSAGE_LENGTH];

unsigned long
mprof_lisp_ship(const char *url, const char *protocol, const char *service,
                const char *labels, unsigned long every)
{
  const struct ship_options options = {.url = url,
                                       .protocol = protocol,
                                       .service = service,
                                       .labels = labels,
                                       .every = every};
  const struct program *program = lisp_program(message);
  return program == NULL
             ? 0
             : (unsigned long)mprof_ship_open(&options, program, message);
}

const char *
mprof_lisp_ship_message(struct shipper *shipper)
{
  if (shipper != NULL)
    mprof_ship_summary(shipper, message);
  return message;
}

unsigned long long
mprof_lisp_ship_count(struct shipper *shipper, int which)
{
  struct ship_counts counts;
  mprof_ship_count(shipper, &counts);
  return (&counts.allocations)[which];
}
