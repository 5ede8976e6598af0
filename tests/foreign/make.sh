#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make.sh: write the profiles of other programs anew, and what pprof says of
# them (*.top).  The tests read what is kept here and need none of this:
# golang-go, binutils, libgoogle-perftools4, libjemalloc2.  The programs are
# built in /tmp/foreign, so that no other path gets into the files.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=/tmp/foreign
rm -rf "$folder"
mkdir "$folder"
cp "$here"/heap.c "$here"/heap.go "$folder"
cd "$folder"
export GOCACHE=$folder/cache GOFLAGS=-trimpath

go build -o go-heap heap.go
./go-heap 1 go.pb.gz cpu.pb.gz goroutine.pb.gz
./go-heap 4096 go-sampled.pb.gz x y

gcc -g -O1 -fno-inline -fno-optimize-sibling-calls -fno-omit-frame-pointer \
  -o heap heap.c
HEAPPROFILE=$folder/tc HEAP_PROFILE_ALLOCATION_INTERVAL=1000000000 \
  LD_PRELOAD=libtcmalloc.so.4 ./heap
go tool pprof -proto -output=tcmalloc.pb.gz ./heap tc.0001.heap

# jemalloc's own text, in the form that pprof reads.
convert() {
  awk '/^heap_v2/ { kind = $1 } /^@/ { chain = $0 }
    sub(/^ *t\*: /, "") {
      print chain == "" ? "heap profile: " $0 " @ " kind : $0 " " chain
    }
    /^MAPPED/ { rest = 1 } rest' "$1"
}
jemalloc() { # OUTPUT OPTIONS
  MALLOC_CONF=prof:true,lg_prof_sample:0,prof_final:true,prof_prefix:je$2 \
    LD_PRELOAD=libjemalloc.so.2 ./heap
  convert je.*.heap >je.txt
  rm je.*.heap
  go tool pprof -proto -output="$1" ./heap je.txt
}
jemalloc jemalloc.pb.gz ,prof_accum:true
jemalloc jemalloc-live.pb.gz ''

top() { # NAME SAMPLE-TYPE [WHAT OPTION]
  go tool pprof -top -unit=B -nodecount=0 -nodefraction=0 -edgefraction=0 \
    -sample_index="$2" "${4:--functions}" "$1.pb.gz" |
    sed 's/ (inline)$//' >"$1${3:+-$3}.top"
}
top go alloc_space
top go-sampled alloc_space
top tcmalloc alloc_space
top jemalloc alloc_space
top jemalloc-live space
for granularity in lines files; do
  top go alloc_space $granularity -$granularity
  top jemalloc alloc_space $granularity -$granularity
done
top go alloc_space focus -focus='main\.tree'
top go alloc_space ignore -ignore='main\.tree'
top go alloc_space hide -hide='main\.text'
top go alloc_space show-from -show_from='main\.waste'

rm -f "$here"/*.pb.gz "$here"/*.top
cp ./*.pb.gz ./*.top "$here"
ls -l "$here"
