#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hosts that are network namespaces of this machine, joined by delay_switch.c. Nothing of them is
# seen outside. Needs root and /dev/net/tun.
#
#   hosts.sh up <name> <count> <microseconds> <switch>   makes hosts <name>-1, <name>-2 ...
#   hosts.sh down <name>                                 ends what runs there and removes them
#   hosts.sh agent [option...] <host> <command...>       runs a command at a host, as rsh would
#
# `up` writes <name>.hosts and <name>.switch, the hosts' names and the switch's process, into the
# current folder, and $HOSTS_FILE tells the agent where the first is. Programs at different hosts
# share no memory: each has its own processes, /dev/shm and System V objects.
set -eu
device=tw0

up() {
    name=$1
    count=$2
    echo 127.0.0.1 localhost >"$name.hosts"
    names=
    for i in $(seq "$count"); do
        ip netns add "$name-$i"
        names="$names $name-$i"
        echo "10.77.0.$i $name-$i" >>"$name.hosts"
    done
    "$4" "$3" $device $names >"$name.ready" 2>&1 &
    echo $! >"$name.switch"
    for turn in $(seq 50); do
        ! grep -q ready "$name.ready" || break
        sleep 0.1
    done
    for i in $(seq "$count"); do
        ip -n "$name-$i" addr add "10.77.0.$i/24" dev $device
        ip -n "$name-$i" link set $device up mtu 9000
        ip -n "$name-$i" link set lo up
    done
}

down() {
    name=$1
    for host in $(ip netns list | grep -o "^$name-[0-9]*"); do
        for process in $(ip netns pids "$host"); do
            kill -9 "$process" 2>/dev/null || true
        done
        ip netns del "$host"
    done
    [ ! -e "$name.switch" ] || kill "$(cat "$name.switch")" 2>/dev/null || true
    rm -f "$name.hosts" "$name.switch" "$name.ready"
}

agent() {
    while [ "${1#-}" != "$1" ]; do
        [ "$1" != -l ] || shift
        shift
    done
    export HOSTNAME="$1"
    exec ip netns exec "$1" unshare --uts --ipc --pid --fork --kill-child --mount --mount-proc \
        sh -c 'hostname "$HOSTNAME"
            mount --bind "$HOSTS_FILE" /etc/hosts
            mount -t tmpfs tmpfs /dev/shm
            shift
            eval "$*"' agent "$@"
}

"$@"
