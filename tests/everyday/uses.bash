# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by try.bash: what people do with mprof.  use_NAME does it once, with
# the commands in a surrounding by `here COMMAND...', and checks by `same'
# what it returns, prints and leaves.

uses=(
  run run_timeline run_serve top
  report diff flamegraph
  repl save lisp_timeline lisp_serve regions lines
)

# impossible SURROUNDING USE: whether the one excludes the other.
impossible() {
  case $1:$2 in
  # Nobody can type, and ECL itself fails when it cannot ask for more.
  closed_input:repl | closed_output:repl | closed_all:repl) ;;
  # In Lisp, libdw takes more than that.
  stack:repl | stack:save | stack:lisp_* | stack:regions | stack:lines) ;;
  # It compiles, which takes long: only where that may differ.
  pipe:lines | cron:lines | turkish:lines | umask:lines) return 1 ;;
  folder:lines | c_locale_folder:lines) return 1 ;;
  *:lines) ;;
  *) return 1 ;;
  esac
}

wrote() { # ALLOCATIONS BYTES
  echo "mprof: wrote '$name.data': $1 allocations, $2 bytes, $2 of them kept;" \
    "see: mprof report $(quoted "$name.data")"
}

# quoted NAME: as a shell reads it.
quoted() {
  case $1 in
  *[!a-z.]*) echo "'${1//\'/\'\\\'\'}'" ;;
  *) echo "$1" ;;
  esac
}

# ---- programs -----------------------------------------------------------

use_run() {
  here "$mprof" run -o "$name.data" "./$name" "$seconds"
  same status 3 "$status"
  printed 'finished, 0 alarms' "$(wrote 200 3000)"
  same chains $'main;first;allocate 100\nmain;second;allocate 100' "$(chains "$name.data")"
  same 'the rights of the file' "$mode" "$(stat -c %a "$name.data")"
  same 'all files' "$name"$'\n'"$name.data" "$(files)"
}

# The second hundred comes after the pause.
use_run_timeline() {
  here "$mprof" run -q -o "$name.data" --timeline=0.1 "./$name" "$seconds"
  same status 3 "$status"
  printed 'finished, 0 alarms' ''
  same chains $'main;first;allocate 100\nmain;second;allocate 100' "$(chains "$name.data")"
  same 'chains from the start' $'main;first;allocate 100\nmain;second;allocate 100' \
    "$(chains --from=0 "$name.data")"
  [ "$seconds" = 0 ] || {
    same 'chains before the pause' 'main;first;allocate 100' \
      "$(chains --to=4 "$name.data")"
    same 'chains after it' 'main;second;allocate 100' "$(chains --from=4 "$name.data")"
  }
}

# What a server says while its program waits, and its file afterwards.
use_run_serve() {
  mkfifo go
  here "$mprof" run -q -o "$name.data" --serve=0 "./$name" wait &
  until_true test -e ready
  until_true listens "$(<ready)"
  sleep "$seconds"
  get "$(port "$(<ready)")" /profile >got.data
  same 'chains that are served' 'main;first;allocate 100' "$(chains got.data)"
  echo >go
  wait $!
  same status 3 $?
  same chains $'main;first;allocate 100\nmain;second;allocate 100' "$(chains "$name.data")"
}

# Of a program that waits.
use_top() {
  mkfifo go keys
  "$MPROF" run -q -o "$name.data" "./$name" wait >/dev/null &
  until_true test -e ready
  exec 3<>keys
  here "$mprof" top --every=1 "$name.data" <keys 3>&- &
  case $streams in
  terminal)
    until_true grep -qs 'in all 1000 bytes, 100 allocs' out
    sleep "$seconds"
    printf q >&3
    wait $!
    same status 0 $?
    echo >go
    ;;
  both | out)
    until_true grep -qs 'in all 1000 bytes, 100 allocs' out
    echo >go
    wait $!
    same status 0 $?
    ;;
  *)
    wait $!
    same status 1 $?
    printed '' 'mprof: cannot write standard output: Bad file descriptor'
    echo >go
    ;;
  esac
  wait
}

# ---- files --------------------------------------------------------------

# reads EXPECTED ARGUMENT...: mprof prints the same as elsewhere with $look.
reads() {
  local wanted=$1
  shift
  # shellcheck disable=SC2086
  "$MPROF" "$@" $look >wanted
  here "$mprof" "$@"
  case $streams in
  err | none)
    same status 1 "$status"
    printed '' 'mprof: cannot write standard output: Bad file descriptor'
    ;;
  *)
    same status "$wanted" "$status"
    printed "$(<wanted)" ''
    ;;
  esac
}

use_report() {
  cp "$golden/long.data" "$name.data"
  reads 0 report "$name.data"
}

use_diff() {
  cp "$golden/live-before.data" "$name.data"
  cp "$golden/live.data" "$name.new.data"
  reads 0 diff "$name.data" "$name.new.data"
}

# The page goes to a file.
use_flamegraph() {
  cp "$golden/widgets.data" "$name.data"
  "$MPROF" flamegraph "$name.data" >wanted
  here "$mprof" flamegraph -o "$name.html" "$name.data"
  same status 0 "$status"
  printed '' ''
  cmp wanted "$name.html"
  same 'the page is the same' 0 $?
  same 'the rights of the file' "$mode" "$(stat -c %a "$name.html")"
}

# ---- Lisp ---------------------------------------------------------------

# evaluate FORM...: a script of these, which prints nothing by itself.
evaluate() {
  printf '%s\n' '(setf *load-verbose* nil)' '(require :mprof)' "$@" \
   '(ext:quit 7)' >script.lisp
  here "$ecl" --norc --shell script.lisp
}

# A person types.
use_repl() {
  cat >typed <<END
(require :mprof)
(defvar *kept*)
(mprof:with-profiling (:file "$name.data") (setf *kept* (make-list 400)) (sleep $seconds) (setf *kept* (make-list 600)) :done)
(ext:quit 7)
END
  here "$ecl" --norc <typed
  same status 7 "$status"
  case $streams in
  both | out | terminal)
    # shellcheck disable=SC2086
    "$MPROF" report ${look%% *} "$name.data" |
      sed 's/--system=hide/:system :hide/; s/--width=0/:width 0/' >wanted
    [[ $(<out) == *"$(<wanted)"* ]] || same 'its tables' "$(<wanted)" "$(<out)"
    ;;
  esac
  same chains 'profiled body;MAKE-LIST 1000' "$(chains "$name.data")"
  same 'the rights of the file' "$mode" "$(stat -c %a "$name.data")"
}

# Files of three kinds, without and with the option :file.
use_save() {
  evaluate "(mprof:with-profiling (:report nil :file \"$name.data\")
               (make-list 1000))" \
    "(mprof:save \"$name.new.data\")" "(mprof:save \"$name.html\")"
  same status 7 "$status"
  for file in "$name.data" "$name.new.data"; do
    same "chains of $file" 'profiled body;MAKE-LIST 1000' "$(chains "$file")"
    same "the rights of $file" "$mode" "$(stat -c %a "$file")"
  done
  sed "s/page\.html/$name.html/" "$SCRATCH/page.html" | cmp - "$name.html"
  same 'the page is the same' 0 $?
  same 'all files' "$(printf '%s\n' "$name" "$name.data" "$name.html" \
    "$name.new.data" script.lisp | sort)" "$(files)"
}

use_lisp_timeline() {
  evaluate "(mprof:with-profiling (:report nil :timeline 0.1)
               (make-list 400) (sleep $seconds) (make-list 600))" \
    "(mprof:save \"$name.data\")"
  same status 7 "$status"
  same chains 'profiled body;MAKE-LIST 1000' "$(chains --from=0 "$name.data")"
  [ "$seconds" = 0 ] || {
    same 'chains before the pause' 'profiled body;MAKE-LIST 400' \
      "$(chains --to=4 "$name.data")"
    same 'chains after it' 'profiled body;MAKE-LIST 600' \
      "$(chains --from=4 "$name.data")"
  }
}

use_lisp_serve() {
  evaluate '(mprof:serve :port 0)' '(make-list 1000)' \
    '(with-open-file (ready "ready" :direction :output)
       (format ready "~D~%" (ext:getpid)))' \
    '(loop until (probe-file "go") do (sleep 0.05))' &
  until_true test -s ready
  sleep "$seconds"
  get "$(port "$(<ready)")" /profile >got.data
  same 'chains that are served' 'MAKE-LIST 1000' \
    "$(chains got.data | grep -o 'MAKE-LIST .*')"
  : >go
  wait $!
  same status 7 $?
}

# Names in other letters.
use_regions() {
  evaluate "(defun label () (map 'string #'code-char '(955 233)))" \
    "(mprof:with-profiling (:report nil)
       (mprof:with-region ((label)) (make-list 1000)))" \
    "(mprof:save \"$name.data\")" \
    "(with-output-to-string (*standard-output*)
       (mprof:report :region (label)))"
  same status 7 "$status"
  same 'chains of the region' 'profiled body;MAKE-LIST 1000' \
    "$(chains --region='^λé$' "$name.data")"
}

# The file of compiled code.
use_lines() {
  echo '(defun row (n) (make-list n))' >row.lisp
  evaluate '(load (compile-file "row.lisp"))' \
    "(mprof:with-profiling (:report nil :file \"$name.data\") (row 1000))"
  same status 7 "$status"
  same 'the line' "CL-USER::ROW $PWD/row.lisp:1" \
    "$("$MPROF" export --format=folded --by=line "$name.data" |
      grep -o 'CL-USER::ROW [^;]*')"
}
