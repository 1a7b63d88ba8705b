// SPDX-License-Identifier: Apache-2.0
// Trees whose leaves wait, by the clock or for an answer over TCP.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

func leaf(number int64, rounds int64) uint64 {
	x := uint64(number) + 1
	for i := int64(0); i < rounds; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

type tree struct {
	leaves, rounds int64
	await          func(leaf int64)
}

func (t *tree) addUp(begin, end int64) uint64 {
	if end-begin == 1 {
		t.await(begin)
		return leaf(begin, t.rounds)
	}
	middle := begin + (end-begin)/2
	left := make(chan uint64, 1)
	go func() { left <- t.addUp(begin, middle) }()
	right := t.addUp(middle, end)
	return <-left + right
}

func runTree(leaves, us int64, await func(leaf int64)) answer {
	t := tree{leaves, us * setting("TWB_LOOPS", 500), await}
	return timed(func() uint64 { return t.addUp(0, t.leaves) })
}

func sleeper(us int64) func(leaf int64) {
	return func(int64) { time.Sleep(time.Duration(us) * time.Microsecond) }
}

func runTimer(size int64) answer {
	return runTree(leavesTimer, 1, sleeper(size))
}

func runWork(size int64) answer {
	return runTree(leavesWork, workUs, sleeper(size))
}

var connections []net.Conn

func exchange(connection net.Conn, number uint64) {
	bytes := encoded(number)
	_, err := connection.Write(bytes[:])
	die(err)
	_, err = io.ReadFull(connection, bytes[:])
	die(err)
	if binary.LittleEndian.Uint64(bytes[:]) != number {
		die(fmt.Errorf("an answer to something else"))
	}
}

func connect(count int64) {
	port := setting("TWB_PORT", 0)
	for int64(len(connections)) < count {
		address := fmt.Sprintf("127.0.0.%d:%d", 1+len(connections)%addresses, port)
		connection, err := net.Dial("tcp", address)
		die(err)
		exchange(connection, answerAtOnce)
		connections = append(connections, connection)
	}
}

func runTCP(int64) answer {
	leaves := setting("TWB_LEAVES", leavesTimer)
	connect(leaves)
	return runTree(leaves, 1, func(leaf int64) { exchange(connections[leaf], uint64(leaf)) })
}
