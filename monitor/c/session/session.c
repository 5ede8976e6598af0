/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "c/session/session.h"

#include <unistd.h>

#include "c/count/monitor.h"
#include "c/interpose/real_allocator.h"
#include "image/arena.h"

struct session session;

bool
session_is_ours(void)
{
  return monitor.own.known && !arenas_are_sealed() &&
         !real_allocator_bypassed() && monitor.process == getpid();
}
