# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the other scripts here: how a step reports.  A step is quiet, its
# output goes to one log file, and a failure is one line on standard error
# that says what failed, why (where the log tells), what to do, and where the
# log is.

say() { printf 'mprof: %s\n' "$*"; }

die() {
  printf 'mprof: %s\n' "$*" >&2
  exit 1
}

# why LOG: the reason in a log's last lines, or nothing.  A full disk hides
# behind many other errors, so it is looked for first.
why() {
  if tail -n 200 "$1" | grep -q 'No space left on device'; then
    echo ': the disk is full'
  else
    tail -n 200 "$1" |
      grep -E '^E: |^W: Failed to fetch|[Ee]rror:|^\*\*\* |Hunk .*FAILED|[Cc]annot|not found' |
      head -n 1 | cut -c 1-160 | sed 's/^/: /'
  fi
}

# run LOG WHAT ADVICE COMMAND...: run COMMAND, its output added to LOG; on
# failure die with WHAT could not be done and ADVICE.
run() {
  run_log=$1 run_what=$2 run_advice=$3
  shift 3
  printf '\n$ %s\n' "$*" >>"$run_log" ||
    die "cannot write $run_log; free some disk space or check permissions"
  if [ "${V:-}" = 1 ]; then
    # The status has to get past tee, and POSIX sh has no pipefail.
    run_status=$({ { "$@" 2>&1 3>&- && echo 0 >&3 || echo 1 >&3; } |
      tee -a "$run_log" >&4; } 3>&1) 4>&1
  else
    run_status=0
    "$@" >>"$run_log" 2>&1 || run_status=1
  fi
  [ "$run_status" = 0 ] ||
    die "cannot $run_what$(why "$run_log"); $run_advice (log: $run_log)"
}

# sha256 FILE: its checksum alone.
sha256() { sha256sum "$1" | cut -d ' ' -f 1; }
