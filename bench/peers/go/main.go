// SPDX-License-Identifier: Apache-2.0
// Go: a goroutine for each task, channels for what others wait for. Speaks the protocol of
// bench/serve.h; the loop of a leaf and the settings are those of bench/leaves.h.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	leavesTimer  = 5000 // TWB_LEAVES
	leavesWork   = 500  // TWB_LEAVES_WORK
	workUs       = 500  // TWB_US_WORK
	group        = 10
	answerAtOnce = ^uint64(0) // TWB_LATE_AT_ONCE
	addresses    = 16         // TWB_LATE_ADDRESSES
)

type answer struct {
	value float64
	check uint64
}

func setting(variable string, otherwise int64) int64 {
	value, err := strconv.ParseInt(os.Getenv(variable), 10, 64)
	if err != nil {
		return otherwise
	}
	return value
}

func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// Seconds of the work, and what it answered.
func timed(work func() uint64) answer {
	begun := time.Now()
	check := work()
	return answer{time.Since(begun).Seconds(), check}
}

func residentBytes() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	die(err)
	var all, resident int64
	_, err = fmt.Sscan(string(text), &all, &resident)
	die(err)
	return float64(resident) * float64(os.Getpagesize())
}

func encoded(number uint64) [8]byte {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], number)
	return bytes
}

var parameters string // what follows the case's name and a colon

var cases = map[string]func(size int64) answer{
	"mapreduce_timer": runTimer,
	"mapreduce_work":  runWork,
	"mapreduce_tcp":   runTCP,
	"yield":           runYield,
	"pass_value":      runPassValue,
	"spawn_parking":   runSpawnParking,
	"parked_bytes":    runParkedBytes,
	"scatter":         runScatter,
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("Go", runtime.Version())
		return
	}
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "serve: wants a case, a number of workers and a size")
		os.Exit(2)
	}
	name, with, _ := strings.Cut(os.Args[1], ":")
	parameters = with
	run := cases[name]
	if run == nil {
		fmt.Fprintf(os.Stderr, "serve: no case '%s'\n", os.Args[1])
		os.Exit(2)
	}
	workers, err := strconv.Atoi(os.Args[2])
	die(err)
	size, err := strconv.ParseInt(os.Args[3], 10, 64)
	die(err)
	runtime.GOMAXPROCS(workers)
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		found := run(size)
		fmt.Printf("%.17g %d\n", found.value, found.check)
	}
}
