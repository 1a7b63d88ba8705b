// SPDX-License-Identifier: Apache-2.0
// The case of bench/scatter.h: a goroutine for each task, channels with room for one.
package main

import "fmt"

// One of the tasks beside the central one.
type outpost struct {
	out, back chan uint64
}

func (self outpost) serve(rounds int64) {
	for number := range self.out {
		self.back <- leaf(int64(number), rounds)
	}
}

func goRound(others []outpost, round int64) uint64 {
	var sum uint64
	number := round % int64(len(others))
	for i := range others {
		others[i].out <- uint64(number)
		if number++; number == int64(len(others)) {
			number = 0
		}
	}
	for i := range others {
		sum += <-others[i].back
	}
	return sum
}

func runScatter(size int64) answer {
	var tasks, workNs int64
	_, err := fmt.Sscanf(parameters+"\n", "%d:%d\n", &tasks, &workNs)
	if err != nil || tasks < 1 || workNs < 0 {
		die(fmt.Errorf("not tasks and work in ns: '%s'", parameters))
	}
	rounds := workNs * setting("TWB_LOOPS", 500) / 1000
	others := make([]outpost, tasks)
	for i := range others {
		others[i] = outpost{make(chan uint64, 1), make(chan uint64, 1)}
		go others[i].serve(rounds)
	}
	goRound(others, 0)
	found := timed(func() uint64 {
		var sum uint64
		for round := int64(1); round <= size; round++ {
			sum += goRound(others, round)
		}
		return sum
	})
	for i := range others {
		close(others[i].out)
	}
	return found
}
