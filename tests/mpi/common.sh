# SPDX-License-Identifier: Apache-2.0
# What the tests under MPI's launchers share. Sourced: expects check_mpi, calls it for each MPI.
programs=$TEST_BUILD/tests/mpi
libraries=$(dirname "$TEST_LIBRARY")
failures=0
tried=0
test_name=$(basename "$0" .sh)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LD_LIBRARY_PATH="$libraries"
unset TWILL_MPI
launcher_options=

complain() {
    echo "$test_name: $*" >&2
    sed 's/^/    /' log >&2
    failures=$((failures + 1))
}

# launch <mpi> <places> <program> <argument...>: its output goes to log. $launcher_options too.
launch() {
    mpi=$1
    places=$2
    shift 2
    oversubscribe=
    [ "$mpi" != openmpi ] || oversubscribe=--oversubscribe
    timeout -k 5 60 mpirun."$mpi" $oversubscribe $launcher_options -n "$places" "$@" >log 2>&1
}

# check_gone <program> <words>: nothing of it is left running.
check_gone() {
    for turn in 1 2 3 4 5; do
        left=$(pgrep -f "^$1" || true)
        [ -n "$left" ] || return 0
        sleep 1
    done
    complain "$2: processes are left: $left"
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
    check_gone "$3" "$*"
}

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

# is_soon <begin in ms> <words>: five seconds at most have passed, to start the program included.
is_soon() {
    took=$(($(now_ms) - $1))
    [ $took -le 5000 ] || complain "$2: took $took ms to end"
}

# ends_with <words> <mpi> <places> <program> <argument...>: fails soon, saying so.
ends_with() {
    words=$1
    shift
    begun=$(now_ms)
    ! launch "$@" || complain "$*: did not fail"
    is_soon "$begun" "$*"
    grep -q "$words" log || complain "$*: does not say '$words'"
    check_gone "$3" "$*"
}

# idle_places <places>: how many of them ran no task, by the JSON in log; a place that is not told
# of is one of them.
idle_places() {
    awk -v places="$1" '
        /^  "place": \[/ { is_each = 1 }
        /^  \]/ { is_each = 0 }
        is_each && /^ *"tasks": [1-9]/ { busy++ }
        END { print places - busy }' log
}

# all_run <places> <words> <command...>: a launch of `twill run --json` gives the known count, and
# every place has run some of it; in one of five launches at the latest, for on a busy machine all
# may be over before a place gets its processor.
all_run() {
    wanted=$1
    what=$2
    shift 2
    for try in 1 2 3 4 5; do
        if ! "$@" || ! grep -q '"verified": true' log; then
            complain "$what: failed"
            return
        fi
        [ "$wanted" -gt 1 ] && [ "$(idle_places "$wanted")" != 0 ] || return 0
    done
    complain "$what: $(idle_places "$wanted") places ran nothing in $try launches"
}

# counts <mpi> <places> <app and option...>: all of it is run, everywhere.
counts() {
    mpi=$1
    places=$2
    shift 2
    all_run "$places" "$mpi, $places places, $*" \
        launch "$mpi" "$places" "$TWILL" run "$@" --workers 1 --check table --json
    check_gone "$TWILL run" "$mpi, $places places, $*"
}

# check_mpi with each MPI that is here; 77 if there is none.
check_each() {
    for mpi in openmpi mpich; do
        if [ -e "$libraries/libtwill-mpi-$mpi.so" ] && command -v mpirun.$mpi >/dev/null; then
            tried=$((tried + 1))
            check_mpi $mpi
        else
            echo "$test_name: left out: $mpi"
        fi
    done
    [ $tried -gt 0 ] || exit 77
}
