#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# The fabric under the launchers of the MPIs that are here: tests/mpi/fabric.c and own.c at 1 to 8
# places, more than there are processors; as if on one host and on several.
set -u
programs=$TEST_BUILD/tests/mpi
libraries=$(dirname "$TEST_LIBRARY")
failures=0
tried=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LD_LIBRARY_PATH="$libraries"
unset TWILL_MPI

complain() {
    echo "fabric_test: $*" >&2
    sed 's/^/    /' log >&2
    failures=$((failures + 1))
}

# launch <mpi> <places> <program> <argument...>: its output goes to log.
launch() {
    mpi=$1
    places=$2
    shift 2
    oversubscribe=
    [ "$mpi" != openmpi ] || oversubscribe=--oversubscribe
    timeout -k 5 60 mpirun."$mpi" $oversubscribe -n "$places" "$@" >log 2>&1
}

# Nothing of ours is left running.
check_gone() {
    for turn in 1 2 3 4 5; do
        left=$(pgrep -f "^$programs/" || true)
        [ -n "$left" ] || return 0
        sleep 1
    done
    complain "$1: processes are left: $left"
    kill -9 $left
}

# is_well <mpi> <places> <program> <argument...>
is_well() {
    if ! launch "$@" || ! grep -q 'all is well' log; then
        complain "$*: failed"
    else
        echo "$*:"
        grep -e 'share memory' -e 'round trip' log
    fi
    check_gone "$*"
}

# ends_with <words> <mpi> <places> <program> <argument...>: fails soon, saying so.
ends_with() {
    words=$1
    shift
    begun=$(date +%s)
    ! launch "$@" || complain "$*: did not fail"
    [ $(($(date +%s) - begun)) -le 10 ] || complain "$*: took too long to end"
    grep -q "$words" log || complain "$*: does not say '$words'"
    check_gone "$*"
}

check_mpi() {
    for places in 1 2 3 8; do
        is_well "$1" $places "$programs/fabric" all
    done
    # As if each had a host: nothing but TCP.
    export OMPI_MCA_btl=tcp,self UCX_TLS=tcp,self UCX_NET_DEVICES=lo MPIR_CVAR_NOLOCAL=1
    is_well "$1" 3 "$programs/fabric" all 1
    unset OMPI_MCA_btl UCX_TLS UCX_NET_DEVICES MPIR_CVAR_NOLOCAL
    is_well "$1" 4 "$programs/fabric" all 2 50
    is_well "$1" 3 "$programs/own_$1"
    ends_with '' "$1" 3 "$programs/fabric" dies
    ends_with 'place .: MPI cannot send: a packet has 2 GiB or more' "$1" 2 "$programs/fabric" huge
    TWILL_MPI=off launch "$1" 2 "$programs/fabric" all
    [ "$(grep -c 'no MPI' log)" -eq 2 ] || complain "$1: TWILL_MPI=off: not alone"
    TWILL_MPI=/nowhere/plugin.so ends_with /nowhere/plugin.so "$1" 2 "$programs/fabric" all
}

# A launcher, but no plugin: says what was tried.
check_absent() {
    env -u LD_LIBRARY_PATH OMPI_COMM_WORLD_SIZE=2 "$programs/fabric" all >log 2>&1 &&
        complain "runs without its plugin"
    for words in 'launcher of openmpi' "$programs/libtwill-mpi-openmpi.so" TWILL_MPI; do
        grep -q "$words" log || complain "without a plugin: does not say '$words'"
    done
}

for mpi in openmpi mpich; do
    if [ -e "$libraries/libtwill-mpi-$mpi.so" ] && command -v mpirun.$mpi >/dev/null; then
        tried=$((tried + 1))
        check_mpi $mpi
    else
        echo "fabric_test: left out: $mpi"
    fi
done
[ $tried -gt 0 ] || exit 77
check_absent
env -i "$programs/fabric" all >log 2>&1 || complain "alone: failed"
if command -v readelf >/dev/null && readelf -d "$TEST_LIBRARY" | grep NEEDED | grep -q mpi; then
    complain "libtwill needs MPI"
fi
[ $failures -eq 0 ]
