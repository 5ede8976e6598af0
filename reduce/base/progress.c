/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one place where work tells how far it is; NULL: nobody listens. */

#include "base/progress.h"

struct progress *progress_listener;
