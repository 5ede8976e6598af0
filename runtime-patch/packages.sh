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

# Rows of a LIST, or of more, and packages.  PACKAGE:COMMAND is not asked for
# where the COMMAND is there already, from wherever it came.
packages=$(awk -v list="$list" 'index("," $1 ",", "," list ",") {
  $1 = ""; print }' <<'END'
  # What builds ECL, and what that is linked with.
  build gcc libc6-dev make autoconf patch xz-utils
  build libgc-dev libatomic-ops-dev libffi-dev libgmp-dev
  # The monitor and the reducer; libdw and libiberty the reducer alone.
  build zlib1g-dev libisal-dev libelf-dev libdw-dev libiberty-dev
  # What serves profiles.
  build libmicrohttpd-dev
  # Tests alone: cmocka and FiveAM run them, protobuf-c reads and writes
  # profiles by pprof's own description.
  build libcmocka-dev cl-fiveam libprotobuf-c-dev protobuf-c-compiler
  # Demo and benchmarks.
  build cl-ppcre
  # The programs that read what mprof exports, the browser that opens it and
  # what drives that, and what asks a server for profiles.
  formats valgrind:callgrind_annotate graphviz:dot libxml2-utils:xmllint
  formats,serve python3:python3 golang-go:go
  formats,html nodejs:node npm:npm
  html,serve chromium-headless-shell:chromium-headless-shell
  # What makes Debian packages and looks at them, and a clean root folder.
  deb debhelper:dh chrpath:chrpath dpkg-dev:dpkg-buildpackage lintian:lintian
  deb,arm64 mmdebstrap:mmdebstrap
  # A compiler for AArch64, and what runs its programs here.
  cross gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross
  arm64 qemu-user-static:qemu-aarch64-static arch-test:arch-test
  # Another C library, other allocators, what says which objects they lose.
  cross,allocators musl-tools:musl-gcc
  allocators libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0
  allocators,programs,bench-malloc valgrind:valgrind
  # A terminal to type in, and locales.
  everyday bsdutils:script tmux:tmux util-linux:setsid locales
  # C++ leaves frames by exceptions, and a debugger looks at them.
  allocators,unwind,programs,bench-malloc g++:g++
  unwind gdb:gdb
  # The editor, and its two halves of SLIME.
  emacs emacs-nox:emacs slime cl-swank
  # Programs to profile.
  programs,bench-malloc perl:perl python3:/usr/bin/python3 sqlite3:sqlite3
  programs,bench-malloc git:git gawk:gawk jq:jq groff-base:troff cmake:cmake
  programs,bench-malloc xz-utils:xz
  programs bzip2:bzip2 zstd:zstd mawk:mawk bc:bc file:file
  # What profiles them, too.
  bench-malloc heaptrack:heaptrack
  # What keeps what was compiled, in .ci/run.
  ccache ccache:ccache
  # Another compiler, what reads its debug information, and libFuzzer.
  clang,fuzz clang:clang
  clang llvm:llvm-addr2line
  fuzz libclang-rt-dev
END
)
[ -n "$packages" ] || die "packages.sh: no such list: $list"

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
  for header in gc.h atomic_ops.h ffi.h gmp.h zlib.h isa-l.h libelf.h \
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
