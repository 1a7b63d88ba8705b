// SPDX-License-Identifier: Apache-2.0
// What a wait costs: yields, values handed over, goroutines that wait once or for long.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

func runYield(size int64) answer {
	return timed(func() uint64 {
		var both sync.WaitGroup
		var yields [2]uint64
		both.Add(2)
		for i := range yields {
			go func(count *uint64) {
				for ; *count < uint64(size/2); *count++ {
					runtime.Gosched()
				}
				both.Done()
			}(&yields[i])
		}
		both.Wait()
		return yields[0] + yields[1]
	})
}

func runPassValue(size int64) answer {
	return timed(func() uint64 {
		ping, pong := make(chan uint64), make(chan uint64)
		go func() {
			for value := range ping {
				pong <- value + 1
			}
		}()
		var value uint64
		for i := int64(0); i < size/2; i++ {
			ping <- value + 1
			value = <-pong
		}
		close(ping)
		return value
	})
}

// Goroutines that all wait, each for a channel of its own.
type crowd struct {
	promises []chan uint64
	arrived  int64
	allThere chan struct{}
	gone     sync.WaitGroup
	left     uint64
}

func (here *crowd) wait(promise chan uint64) {
	if atomic.AddInt64(&here.arrived, 1) == int64(len(here.promises)) {
		close(here.allThere)
	}
	atomic.AddUint64(&here.left, <-promise)
	here.gone.Done()
}

func gather(size int64) *crowd {
	here := &crowd{promises: make([]chan uint64, size), allThere: make(chan struct{})}
	here.gone.Add(int(size))
	for i := range here.promises {
		here.promises[i] = make(chan uint64)
		go here.wait(here.promises[i])
	}
	<-here.allThere
	return here
}

func (here *crowd) release() uint64 {
	for _, promise := range here.promises {
		promise <- 1
	}
	here.gone.Wait()
	return here.left
}

func runSpawnParking(size int64) answer {
	return timed(func() uint64 {
		var released uint64
		for i := int64(0); i < size/group; i++ {
			released += gather(group).release()
		}
		return released
	})
}

func runParkedBytes(size int64) answer {
	before := residentBytes()
	here := gather(size)
	bytes := (residentBytes() - before) / float64(size)
	return answer{bytes, here.release()}
}
