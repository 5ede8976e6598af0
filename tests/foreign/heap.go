// SPDX-License-Identifier: LGPL-2.1-or-later

// What Go's own profiler is run on: see make.sh.  An inlined function, two
// goroutines, texts and trees that are kept and texts that are not.  The
// first argument is the rate of sampling, then come the files for a heap, a
// CPU and a goroutine profile.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

type node struct {
	left, right *node
	value       [3]int64
}

var trees []*node
var texts [][]byte

func leaf(value int64) *node { return &node{value: [3]int64{value}} }

func tree(depth int) *node {
	n := leaf(int64(depth))
	if depth > 0 {
		n.left = tree(depth - 1)
		n.right = tree(depth - 1)
	}
	return n
}

//go:noinline
func text(size int) []byte { return make([]byte, size) }

//go:noinline
func waste(count int) (sum int) {
	for i := 0; i < count; i++ {
		sum += len(text(100 + i%3*1000))
	}
	return sum
}

func write(path, profile string) {
	file, err := os.Create(path)
	if err == nil {
		err = pprof.Lookup(profile).WriteTo(file, 0)
	}
	if err != nil {
		panic(err)
	}
	file.Close()
}

func main() {
	runtime.MemProfileRate, _ = strconv.Atoi(os.Args[1])
	for i := 0; i < 4; i++ {
		trees = append(trees, tree(6))
	}
	waste(999)
	for i := 0; i < 50; i++ {
		texts = append(texts, text(5000))
	}
	done := make(chan int)
	go func() { done <- waste(300) }()
	<-done
	runtime.GC()
	write(os.Args[2], "heap")
	file, err := os.Create(os.Args[3])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(file)
	for i := 0; i < 10; i++ {
		waste(200000)
	}
	pprof.StopCPUProfile()
	file.Close()
	write(os.Args[4], "goroutine")
}
