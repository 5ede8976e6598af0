/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/progress.h"

struct progress *progress_listener;
