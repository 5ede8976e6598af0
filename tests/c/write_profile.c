/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* write_profile TEXT NAME FILE: the profile NAME of the file TEXT as a file
 * of its own; see profile_text.h. */

#include "profile_text.h"

int
main(int argc, char **argv)
{
  assert(argc == 4);
  Pprof *b = builder_read(argv[1], argv[2]);
  builder_write(b, argv[3]);
  builder_free(b);
  return 0;
}
