#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library is the one that Go's own tools are made with; it comes with them
# as source.
. "$(dirname "$0")/setup.bash"
export GOCACHE=$work/go-cache GOFLAGS=-mod=mod GOPROXY=off GO111MODULE=on
export GOPATH=$work/go PPROF_TMPDIR=$work/pprof PPROF_SAMPLES=$work/go/samples
library=$(go env GOROOT)/src/cmd/vendor/github.com/google/pprof/profile
rm -rf "$work/go"
mkdir -p "$work/go/module/profile" "$work/pprof"
cp "$library"/*.go "$work/go/module/profile/"
rm -f "$work"/go/module/profile/*_test.go
cp tests/formats/pprof_samples.go "$work/go/module/"
printf 'module mprof/formats\n\ngo 1.18\n' >"$work/go/module/go.mod"
(cd "$work/go/module" && go build -o "$PPROF_SAMPLES" .)
read_back pprof.py
