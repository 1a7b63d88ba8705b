# SPDX-License-Identifier: Apache-2.0
# What the tests on several hosts share (hosts.sh). Sourced after common.sh; the hosts are removed
# when the script ends, however it does.
[ "$(id -u)" -eq 0 ] && [ -e /dev/net/tun ] || {
    echo "$test_name: left out: needs root and /dev/net/tun"
    exit 77
}
name=tw$$
seconds=60
export HOSTS_FILE="$PWD/$name.hosts"
hosts() {
    sh "$TEST_SOURCE/tests/mpi/hosts.sh" "$@"
}
clean_up() {
    hosts down $name
    rm -f agent
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

printf '#!/bin/sh\nexec sh "%s" agent "$@"\n' "$TEST_SOURCE/tests/mpi/hosts.sh" >agent
chmod +x agent

# launch_far <mpi> <hosts> <places> <program> <argument...>: as launch, the places dealt out.
launch_far() {
    mpi=$1
    count=$2
    places=$3
    each=$((places / count))
    shift 3
    list=
    for i in $(seq "$count"); do
        list=$list${list:+,}$name-$i:$each
    done
    case $mpi in
    openmpi)
        set -- mpirun.openmpi --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self,vader \
            --mca btl_tcp_if_include tw0 --mca oob_tcp_if_include tw0 --bind-to none \
            $launcher_options --host "$list" -n "$places" "$@"
        ;;
    mpich)
        set -- mpirun.mpich -launcher rsh -launcher-exec "$PWD/agent" -iface tw0 \
            $launcher_options -hosts "$list" -n "$places" "$@"
        ;;
    esac
    UCX_NET_DEVICES=tw0 timeout -k 5 $seconds ./agent "$name-1" "$@" >log 2>&1
}

# runs_far <mpi> <hosts> <places> <program>: all of tests/mpi/places.c or global.c.
runs_far() {
    launch_far "$1" "$2" "$3" "$programs/$4" && grep -q 'all is well' log || complain "$*: failed"
    check_gone "$programs/$4" "$*"
}

# counts_far <mpi> <hosts> <places> <option...>: as counts.
counts_far() {
    mpi=$1
    count=$2
    places=$3
    shift 3
    all_run "$places" "$mpi, $count hosts, $*" launch_far "$mpi" "$count" "$places" \
        "$TWILL" run uts --tree T5 --workers 1 --check table --json "$@"
    check_gone "$TWILL run" "$mpi, $count hosts, $*"
}
