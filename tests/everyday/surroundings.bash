# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by try.bash: the surroundings.  in_NAME COMMAND... runs COMMAND in
# one.  settle_NAME, where there is one, is called before that; it may change
# the folder, and sets what else is different there:
#
#   name         the name of the program, and of files but for their endings
#   mprof, ecl   how the two are called
#   seconds      how long a program lasts, at least
#   streams      what is seen of a command: both streams, apart; out, err or
#                none; terminal: both in one
#   look         options that make a table elsewhere look as it does there
#   mode         the rights of a new file

surroundings=(
  long pipe terminal dumb narrow wide
  closed_input closed_output closed_errors closed_all
  bare cron c_locale turkish
  timeout nohup session signals_ignored signals_blocked umask stack
  folder c_locale_folder link relative
)

# ---- streams ------------------------------------------------------------

in_pipe() { "$@" | cat; }

# On a terminal of 90 columns, which leaves newlines as they are.
in_terminal() {
  local command
  printf -v command '%q ' "$@"
  script -qec "stty cols 90 -onlcr; exec $command" /dev/null
}
settle_terminal() { streams=terminal look='--width=90 --color=always'; }

in_dumb() { TERM=dumb in_terminal "$@"; }
settle_dumb() { streams=terminal look=--width=90; }

in_narrow() { COLUMNS=40 in_terminal "$@"; }
settle_narrow() { streams=terminal look='--width=40 --color=always'; }

in_wide() { COLUMNS=200 in_terminal "$@"; }
settle_wide() { streams=terminal look='--width=200 --color=always'; }

# For five seconds: most of what goes by a clock has come by then.
in_long() { in_terminal "$@"; }
settle_long() { settle_terminal && seconds=5; }

in_closed_input() { "$@" <&-; }
in_closed_output() { "$@" >&-; }
settle_closed_output() { streams=err; }
in_closed_errors() { "$@" 2>&-; }
settle_closed_errors() { streams=out; }
in_closed_all() { "$@" <&- >&- 2>&-; }
settle_closed_all() { streams=none; }

# ---- the environment ----------------------------------------------------

in_bare() { env -i "$@"; }
in_cron() {
  env -i HOME=/root SHELL=/bin/sh PATH=/usr/bin:/bin LOGNAME=root "$@"
}
in_c_locale() { LC_ALL=C "$@"; }
# A comma in numbers, and letters i with and without dots.
in_turkish() { LOCPATH=$SCRATCH LC_ALL=tr_TR.UTF-8 "$@"; }

# ---- who starts it ------------------------------------------------------

in_timeout() { timeout 500 "$@"; }
in_nohup() { nohup "$@"; }
in_session() { setsid --wait "$@"; }
in_signals_ignored() { env --ignore-signal=CHLD,PIPE,INT,QUIT "$@"; }
in_signals_blocked() { env --block-signal "$@"; }
in_umask() { (umask 077 && exec "$@"); }
settle_umask() { mode=600; }
in_stack() { (ulimit -s 128 && exec "$@"); }

# ---- where --------------------------------------------------------------

in_folder() { "$@"; }
settle_folder() {
  mkdir -p 'josé/my λ code' && cd "$_" || exit 1
  name="é's λ"
}
in_c_locale_folder() { in_c_locale "$@"; }
settle_c_locale_folder() { settle_folder; }

in_link() { "$@"; }
settle_link() {
  ln -s "$MPROF" mprof
  ln -s "$ECL" ecl
  mprof=./mprof ecl=./ecl
}
in_relative() { "$@"; }
settle_relative() {
  mprof=$(realpath -s --relative-to=. -- "$MPROF")
  ecl=$(realpath -s --relative-to=. -- "$ECL")
}
