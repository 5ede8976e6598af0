#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The Debian packages: what lintian says of them, whether two builds are the same;
# then they are installed, used, and removed without a trace in a clean root
# folder that has what they depend on, and little else.  As root, for that folder.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}"
deb=$BUILD/deb
root=$scratch/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$scratch"' EXIT

"$top/packaging/build-deb.sh" "$deb" >log 2>&1
result $? 'they are built'
sed 's/^/# /' log
sha256sum "$deb"/*.deb >first
"$top/packaging/build-deb.sh" "$deb" >log 2>&1
result $? 'and built again'
sha256sum --quiet -c first >log 2>&1
result $? 'with the same bytes'
lintian --allow-root --fail-on error,warning "$deb"/*.deb >log 2>&1
result $? 'lintian reports nothing'
sed 's/^/# /' log

if [ "$(id -u)" != 0 ]; then
  result 1 'a clean root folder needs root'
  finish
fi
needed=$(for file in "$deb"/*.deb; do dpkg-deb -f "$file" Depends; done |
  sed 's/([^)]*)//g; s/ //g' | tr , '\n' | grep -v '^mprof$' | paste -sd,)
mmdebstrap --variant=apt --include="$needed,libc6-dev,zsh" \
  "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >log 2>&1 ||
  tail -n 3 log | sed 's/^/# /'
[ -x "$root/usr/bin/apt-get" ]
result $? 'a clean root folder'
mount -t proc proc "$root/proc"
cp "$deb"/*.deb "$root/root/"

# within COMMAND...: in that folder.
within() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# files: all that are there, but for what the package manager notes.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./root -o -path ./tmp \
    -o -path ./var -o -path ./run \) -prune -o \
    -type d -o -print) | sort
}

# use WHAT EXPECTED COMMAND...: it prints that.
use() {
  local what=$1 expected=$2
  shift 2
  within "$@" >out 2>err
  if [ "$(cat out)" = "$expected" ]; then
    result 0 "$what"
  else
    result 1 "$what"
    cat out err | head -n 20 | sed 's/^/# /'
  fi
}

files >before
within sh -c 'dpkg -i /root/*.deb' >log 2>&1
result $? 'they are installed, and need nothing but what they say'

cat >"$root/root/made.c" <<'END'
#include <stdlib.h>
void *volatile made[10];
int main(void) { for (int i = 0; i < 10; i++) made[i] = malloc(100); }
END
within gcc -g -o /root/made /root/made.c
use 'the command says its version' "mprof $(cat "$top/VERSION")" mprof --version
use 'a C program' 'main 1000' sh -c 'cd && mprof run -q -o made.data ./made &&
  mprof export --format=folded made.data'
use 'linked with the monitor' 'main 1000' sh -c 'cd && gcc -g -o linked made.c \
  -Wl,--whole-archive /usr/lib/mprof/lib/libmprof_malloc.a \
  -Wl,--no-whole-archive -ldl -lpthread && MPROF_OUT=linked.data ./linked &&
  mprof export --format=folded linked.data'
use 'its header' 0 sh -c 'echo "#include <mprof_malloc.h>" >/root/h.c &&
  gcc -c -o /root/h.o /root/h.c; echo $?'
cat >"$root/root/made.lisp" <<'END'
(defun make (n) (loop repeat n collect (make-array 10)))
END
use 'ECL, compiled code, and mprof' '(10 1280)' sh -c 'cd && mprof-ecl --norc \
  --eval "(require :cmp)" --eval "(require :mprof)" \
  --eval "(load (compile-file \"made.lisp\"))" \
  --eval "(mprof:with-profiling (:report nil) (make 10))" \
  --eval "(let ((type (mprof.data:row :types \"(SIMPLE-ARRAY T)\")))
    (format t \"~&(~D ~D)~%\" (mprof.data:figure :allocations type)
     (mprof.data:figure :bytes type)))" --eval "(ext:quit 0)" 2>&1 | tail -n 1'
find "$root/usr/lib/mprof" -type f -exec readelf -d {} + 2>/dev/null |
  grep -F "$top" >log
[ ! -s log ]
result $? 'no file refers to libraries of the build'
use 'completion in bash' report bash -c '
  . /usr/share/bash-completion/completions/mprof
  COMP_WORDS=(mprof re); COMP_CWORD=1; _mprof; echo "${COMPREPLY[*]}"'
use 'completion in zsh' '' zsh -n /usr/share/zsh/vendor-completions/_mprof
for page in man1/mprof.1 man1/mprof-ecl.1 man7/mprof-lisp.7; do
  use "the manual page $page" 1 sh -c "zcat /usr/share/man/$page.gz | grep -c '^\.TH'"
done

within dpkg --purge mprof mprof-ecl >log 2>&1
result $? 'they are removed'
files >after
diff before after >log
result $? 'and leave nothing'
sed 's/^/# /' log | head -n 20
finish
