#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# The fabric under the launchers of the MPIs that are here: tests/mpi/fabric.c and own.c at 1 to 8
# places, more than there are processors; as if on one host and on several.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

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
    check_bound "$1"
    check_stray "$1"
}

# bound <mpi> <processors...>: place 0 is bound to the first of these, and so on.
bound() {
    mpi=$1
    shift
    launch "$mpi" $# sh -c 'shift ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
        exec taskset -c "$1" "$FABRIC" all' bound "$@"
}

# Places that are bound to processors of their own, or to some that they share.
check_bound() {
    processors=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //')
    one=${processors%%[-,]*}
    other=${processors##*[-,]}
    [ "$one" != "$other" ] || return 0
    export FABRIC="$programs/fabric"
    bound "$1" "$one" "$other" && grep -q '2 of 2 places share memory, 1 processors' log ||
        complain "$1: places that are bound apart share processors"
    bound "$1" "$one" "$other" "$one" && grep -q 'share memory, 2 processors' log ||
        complain "$1: two of three places do not share a processor"
    bound "$1" "$one,$other" "$other" "$one" && grep -q 'share memory, 3 processors' log ||
        complain "$1: overlaps are not seen"
}

# The launcher of one MPI, the plugin of the other.
check_stray() {
    other=openmpi
    [ "$1" = mpich ] || other=mpich
    [ -e "$libraries/libtwill-mpi-$other.so" ] || return 0
    TWILL_MPI=$other ends_with \
        "the launcher of $1 started 2 places, but with $other each is alone" "$1" 2 \
        "$programs/fabric" all
}

# A launcher, but no plugin: says what was tried.
check_absent() {
    env -u LD_LIBRARY_PATH OMPI_COMM_WORLD_SIZE=2 "$programs/fabric" all >log 2>&1 &&
        complain "runs without its plugin"
    for words in 'launcher of openmpi' "$programs/libtwill-mpi-openmpi.so" TWILL_MPI; do
        grep -q "$words" log || complain "without a plugin: does not say '$words'"
    done
}

check_each
check_absent
env -i "$programs/fabric" all >log 2>&1 || complain "alone: failed"
if command -v readelf >/dev/null && readelf -d "$TEST_LIBRARY" | grep NEEDED | grep -q mpi; then
    complain "libtwill needs MPI"
fi
[ $failures -eq 0 ]
