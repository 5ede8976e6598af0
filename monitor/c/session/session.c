/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/session/session.h"

#include <unistd.h>

#include "c/count/own_process.h"
#include "c/image/process_image.h"
#include "c/interpose/real_allocator.h"
#include "image/arena.h"

struct session session;

bool
session_is_ours(void)
{
  return own_process.known && !arenas_are_sealed() &&
         !real_allocator_bypassed() &&
         (session.process == 0 || session.process == getpid());
}

void
session_exec_unmonitored(const char *why)
{
  if (session_is_ours() && process_image_is_first())
    process_image_say("nothing more goes to", why);
}
