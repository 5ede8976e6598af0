#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# arm64.sh [SUITE...]: build everything for AArch64 on x86-64, and run all suites
# or the named ones under QEMU's emulation of processes.  The last line is
# `N passed, N failed'.
#
# Debian for arm64 is installed in a root folder.  The kernel runs its programs
# with the emulator (binfmt_misc).  The compiler proper, the assembler and the
# linker are cross tools for x86-64 instead, since they take nine tenths of the
# time.  The folder and the build in it are kept for the next run.
#
# QEMU on x86-64 cannot show faults in the order of memory accesses, because this
# processor keeps stores in order.  not-in-qemu.txt lists the tests that need
# what the emulator lacks.

set -eu
self=$(realpath "$0")
cd "$(dirname "$self")/../.."
. runtime-patch/messages.sh
: "${BUILD:=$PWD/build}"
folder=$BUILD/arm64
root=$folder/root
inside=/mprof # where the sources are there

[ "$(uname -m)" = x86_64 ] ||
  die 'check-arm64 is for x86-64; on AArch64 make check does it'
[ "$(id -u)" = 0 ] || die 'check-arm64 needs root: it mounts and calls chroot'

# Mounts in a namespace of their own end with this script, however it ends.  Left
# mounted, /dev would be removed with the build folder.
[ -n "${MOUNTS_ARE_OWN:-}" ] ||
  MOUNTS_ARE_OWN=1 exec unshare --mount "$self" "$@"

# ---- the emulator ----

formats=/proc/sys/fs/binfmt_misc
[ -e $formats/register ] || mount -t binfmt_misc none $formats ||
  die 'this kernel has no binfmt_misc, or does not allow to mount it'
[ -e $formats/qemu-aarch64 ] ||
  cat /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register

# ---- the root folder ----

packages='make autoconf patch xz-utils gcc g++ libc6-dev libgc-dev
  libatomic-ops-dev libffi-dev libgmp-dev zlib1g-dev libisal-dev libelf-dev
  libdw-dev libiberty-dev libmicrohttpd-dev libcmocka-dev cl-fiveam
  libprotobuf-c-dev protobuf-c-compiler cl-ppcre ca-certificates
  dpkg-dev man-db groff-base file libc6-dbg libjemalloc2'
# The libraries that the cross tools need there.
native='libc6 libgmp10 libmpfr6 libmpc3 libisl23 libzstd1 zlib1g libjansson4'
release=$(. /etc/os-release && echo "$VERSION_CODENAME")

make_root() {
  local gcc=usr/lib/gcc/aarch64-linux-gnu cross=/usr/lib/gcc-cross/aarch64-linux-gnu
  local version libraries=/usr/lib/x86_64-linux-gnu
  # shellcheck disable=SC2086
  rm -rf "$root" &&
    mmdebstrap --arch=arm64,amd64 --variant=apt --include="$(echo $packages \
      $(printf '%s:amd64 ' $native) | tr ' ' ,)" "$release" "$root" &&
    version=$(ls "$root/$gcc" | head -n 1) &&
    cp "$cross/$version"/{cc1,liblto_plugin.so} "$root/$gcc/$version/" &&
    mkdir -p "$root/${cross#/}" &&
    ln -sfn "/$gcc/$version" "$root/${cross#/}/$version" &&
    cp /usr/bin/aarch64-linux-gnu-{as,ld.bfd} "$root/usr/bin/" &&
    cp -a $libraries/lib{opcodes,bfd}-*-arm64.so $libraries/libctf-arm64.so.* \
      $libraries/libsframe.so.* "$root$libraries/"
}

mkdir -p "$folder"
if [ "$(cat "$folder/packages" 2>/dev/null)" != "$release $packages $native" ]; then
  say "making a root folder for AArch64 in $root; this takes some minutes"
  run "$folder/log" 'make the root folder' 'see the end of the log' make_root
  echo "$release $packages $native" >"$folder/packages"
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --rbind /dev "$root/dev"

# within COMMAND...: run it in the root folder, in the sources.
within() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 QEMU_STACK_SIZE=$((256 << 20)) sh -c "cd $inside && exec \"\$@\"" sh "$@" </dev/null
}

# ---- the sources ----

mkdir -p "$root$inside/build/download"
# Only files that differ, so that make does not build everything again.
git ls-files -co --exclude-standard | while read -r file; do
  [ ! -e "$file" ] || cmp -s "$file" "$root$inside/$file" ||
    install -D -m "$(stat -c %a "$file")" "$file" "$root$inside/$file"
done
(cd "$root$inside" && find . -path ./build -prune -o -type f -print) |
  while read -r file; do
    [ -e "$file" ] || rm "$root$inside/$file"
  done
find "$root$inside" -path "$root$inside/build" -prune -o \
  -type d -empty -exec rmdir {} +
cp -a "$BUILD"/download/* "$root$inside/build/download/" 2>/dev/null || :

say 'building for AArch64; with a new root folder this takes ten minutes'
within make all tests build/tests/figures build/tests/write_profile >"$folder/log" 2>&1 ||
  die "cannot build for AArch64; see the end of $folder/log"

# ---- the tests ----

suites=${*:-c cli exact random malloc recover}
# shellcheck disable=SC2086
within env MPROF=$inside/build/bin/mprof ECL=$inside/build/bin/ecl \
  BUILD=$inside/build MPROF_LIB=$inside/build/lib RELEASE=21.2.1 \
  XDG_CACHE_HOME=$inside/build/cache HEADERS= HEADER_FLAGS= TEST_TIMEOUT=5000 \
  TESTS="$(cd "$root" && ls -d .$inside/build/tests/test_* | sed 's/^\.//' |
    tr '\n' ' ')" LEFT_OUT=$inside/tests/portable/not-in-qemu.txt \
  tests/run-tests.sh $suites
