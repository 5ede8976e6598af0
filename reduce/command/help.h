/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What --help prints, made of the tables of commands, options and outputs. */

#ifndef MPROF_HELP_H
#define MPROF_HELP_H

#include "command/options.h"
#include "base/sink.h"

/* Writes the help on TOPIC (COMMAND_NONE: on the program). */
void help_write(enum command topic, struct sink *sink);

/* Writes the usage line of COMMAND, without "usage: " and newline. */
void help_usage(enum command command, struct sink *sink);

#endif
