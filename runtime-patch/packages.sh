#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# packages.sh STAMP [LIST]: make sure that everything needed is installed: to
# build and test, or what only the tests of one kind need, when LIST names it.
# On Debian and its relatives the missing packages are named and then
# installed, as root or through a sudo that asks for no password; where
# neither is possible the command to type is printed.  Elsewhere the tools and
# headers themselves are looked for, once: STAMP tells that they were found.
#
# Recommended packages are left out on purpose: nothing here needs them.

set -eu
. "$(dirname "$0")/messages.sh"

stamp=$1
list=${2:-build}
log=$(dirname "$stamp")/packages.log
cc=${CC:-gcc}

# The lists.  PACKAGE:COMMAND is not asked for where the COMMAND is there
# already, from wherever it came.
case $list in
build)
  # To build ECL, and what it is linked with.
  packages='gcc libc6-dev make autoconf patch xz-utils
    libgc-dev libatomic-ops-dev libffi-dev libgmp-dev'
  # The monitor and the reducer; libdw and libiberty the reducer alone.
  packages="$packages zlib1g-dev libelf-dev libdw-dev libiberty-dev"
  # What serves profiles.
  packages="$packages libmicrohttpd-dev"
  # Tests alone: cmocka and FiveAM run them, protobuf-c reads and writes
  # profiles by pprof's own description, CFFI calls C from Lisp.
  packages="$packages libcmocka-dev cl-fiveam
    libprotobuf-c-dev protobuf-c-compiler cl-cffi"
  # Demo and benchmarks.
  packages="$packages cl-ppcre"
  ;;
formats)
  # The programs that read what mprof exports.
  packages='golang-go:go valgrind:callgrind_annotate graphviz:dot
    libxml2-utils:xmllint python3:python3 nodejs:node npm:npm'
  ;;
deb)
  # What makes Debian packages and looks at them, and a clean root folder.
  packages='debhelper:dh chrpath:chrpath dpkg-dev:dpkg-buildpackage
    lintian:lintian mmdebstrap:mmdebstrap'
  ;;
cross)
  # A compiler for AArch64, and another C library.
  packages='gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross
    musl-tools:musl-gcc'
  ;;
arm64)
  # And a root folder for it, whose programs run here.
  packages='mmdebstrap:mmdebstrap qemu-user-static:qemu-aarch64-static'
  ;;
html)
  # The browser that opens what mprof exports for one, and what drives it.
  packages='chromium:chromium nodejs:node npm:npm'
  ;;
serve)
  # What asks a server for profiles.
  packages='python3:python3 golang-go:go chromium:chromium'
  ;;
allocators)
  # Other allocators and another C library, for the tests of C programs; what
  # says which objects they lose as well.
  packages='g++:g++ libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0
    musl-tools:musl-gcc valgrind:valgrind'
  ;;
everyday)
  # A terminal to type in, and locales.
  packages='bsdutils:script tmux:tmux util-linux:setsid locales'
  ;;
unwind)
  # C++ leaves frames by exceptions, and a debugger looks at them.
  packages='g++:g++ gdb:gdb'
  ;;
emacs)
  # The editor, and its two halves of SLIME.
  packages='emacs-nox:emacs slime cl-swank'
  ;;
programs)
  # Programs to profile, and what counts their allocations as well.
  packages='valgrind:valgrind perl:perl python3:/usr/bin/python3
    sqlite3:sqlite3 git:git gawk:gawk jq:jq groff-base:troff cmake:cmake
    xz-utils:xz g++:g++ bzip2:bzip2 zstd:zstd mawk:mawk bc:bc file:file'
  ;;
bench-malloc)
  # Programs to profile, and what counts their instructions or profiles them,
  # too.
  packages='valgrind:valgrind heaptrack:heaptrack perl:perl
    python3:/usr/bin/python3 sqlite3:sqlite3 git:git gawk:gawk jq:jq
    groff-base:troff cmake:cmake xz-utils:xz g++:g++'
  ;;
clang)
  # Another compiler, and what reads its debug information.
  packages='clang:clang llvm:llvm-addr2line'
  ;;
fuzz)
  # libFuzzer comes with its compiler.
  packages='clang:clang libclang-rt-dev'
  ;;
*)
  die "packages.sh: no such list: $list"
  ;;
esac

# wanted: the packages whose commands, if they name any, are not there.
wanted() {
  for entry in $packages; do
    case $entry in
    *:*) command -v "${entry#*:}" >/dev/null || echo "${entry%:*}" ;;
    *) echo "$entry" ;;
    esac
  done
}

missing_packages() {
  wanted=$(wanted)
  [ -n "$wanted" ] || return 0
  # A package of two architectures has two lines; one installed is enough.
  have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted \
    2>/dev/null | sed -n 's/^installed //p')
  for package in $wanted; do
    printf '%s\n' "$have" | grep -qx "$package" || echo "$package"
  done
}

known_to_apt() {
  for package in $*; do
    apt-cache policy "$package" 2>/dev/null |
      grep -q 'Candidate: [^(]' || return 1
  done
}

install_packages() {
  names=$(echo $*)
  command_line="apt-get install --no-install-recommends $names"
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
  else
    die "these Debian packages are missing; run: sudo $command_line"
  fi
  say "installing missing Debian packages: $names"
  mkdir -p "$(dirname "$log")"
  : >"$log"
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300"
  install="$apt install -y --no-install-recommends $names"
  advice="check the network and run: $command_line"
  # Old package lists name files that the mirror has dropped, so a failure
  # before an update is no verdict.
  if known_to_apt $names && $install >>"$log" 2>&1; then
    return
  fi
  run "$log" 'update the package lists' "$advice" $apt update
  run "$log" 'install the missing packages' "$advice" $install
}

# The same on any other system: name what cannot be found.
check_commands() {
  lacking=$(wanted)
  [ -z "$lacking" ] || die "missing tools:" $lacking "; install them and run" \
    "make again"
}

check_by_compiling() {
  lacking=
  for tool in "${cc%% *}" make autoconf autoreconf patch xz protoc-c basenc; do
    command -v "$tool" >/dev/null || lacking="$lacking $tool"
  done
  for header in gc.h atomic_ops.h ffi.h gmp.h zlib.h libelf.h \
    elfutils/libdw.h protobuf-c/protobuf-c.h cmocka.h; do
    printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' \
      '#include <stdint.h>' '#include <setjmp.h>' "#include <$header>" |
      $cc ${CPPFLAGS:-} -fsyntax-only -xc - 2>/dev/null ||
      lacking="$lacking <$header>"
  done
  [ -z "$lacking" ] ||
    die "missing tools or headers:$lacking; install them and run make again"
}

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  missing=$(missing_packages)
  if [ -n "$missing" ]; then
    install_packages $missing
    missing=$(missing_packages)
    [ -z "$missing" ] ||
      die "still not installed:" $missing "(log: $log)"
  fi
elif [ "$list" != build ]; then
  check_commands
elif [ ! -e "$stamp" ]; then
  check_by_compiling
fi

[ "$list" != build ] || command -v "${cc%% *}" >/dev/null ||
  die "there is no C compiler '${cc%% *}'; install gcc or say make CC=..."

[ -e "$stamp" ] || { mkdir -p "$(dirname "$stamp")" && : >"$stamp"; }
