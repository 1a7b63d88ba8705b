#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# How programs end that fail at one of their places (tests/mpi/failures.c), under the launchers of
# the MPIs that are here: soon, with a message that names the place, and no process is left.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
failing=$programs/failures

# The launcher is told to leave the others alone when one dies: they notice by themselves, if MPICH
# does not end them first. What the launcher returns then says nothing.
check_recovery() {
    case $1 in
    openmpi) launcher_options=--enable-recovery ;;
    mpich) launcher_options=-disable-auto-cleanup ;;
    esac
    for how in kill abort exit; do
        begun=$(now_ms)
        launch "$1" 3 "$failing" $how
        is_soon "$begun" "$1: $how"
        [ "$1" = mpich ] || grep -q 'place [01]: place 2 is gone' log ||
            complain "$1: $how: nobody says who is gone"
        check_gone "$failing" "$1: $how"
    done
    launcher_options=
}

# interrupted <mpi>: ^C on the launcher.
interrupted() {
    oversubscribe=
    [ "$1" != openmpi ] || oversubscribe=--oversubscribe
    mpirun."$1" $oversubscribe -n 3 "$failing" linger >log 2>&1 &
    launcher=$!
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(pgrep -c -f "^$failing")" -lt 3 ] || break
        sleep 0.3
    done
    sleep 0.5 # they have begun to run, most likely
    kill -INT $launcher
    check_gone "$failing" "$1: interrupted"
    (sleep 5 && kill -9 $launcher) 2>/dev/null &
    guard=$!
    wait $launcher
    [ $? -ne 137 ] || complain "$1: the launcher goes on when interrupted"
    kill $guard 2>/dev/null
}

check_mpi() {
    # Who dies is named by its neighbours or, before them, by the launcher: MPICH's knows a process.
    launchers_words='process rank 2 '
    [ "$1" = openmpi ] || launchers_words='PID [0-9]* RUNNING AT'
    ends_with "place 2 is gone\|$launchers_words" "$1" 3 "$failing" kill
    ends_with "place 2 is gone\|$launchers_words" "$1" 3 "$failing" abort
    ends_with 'place 2: the program called exit inside tw_run' "$1" 3 "$failing" exit
    ends_with 'place 2: the program called exit inside tw_run' "$1" 3 "$failing" exit_0
    ends_with 'place 0: place 2 has ended early' "$1" 3 "$failing" returns
    check_recovery "$1"
    interrupted "$1"
    is_well "$1" 2 "$failing" large
    ends_with "place 0: a task cannot leave with 3221225472 bytes.*'take_huge'" "$1" 2 \
        "$failing" huge
    ends_with "place 0: a task leaves with an address of .* offset 8 (task 'follow')" "$1" 2 \
        "${failing}_debug" pointer
    launch "$1" 2 "${failing}_debug" static || complain "$1: a static variable was refused"
    check_unlike "$1"
    TWILL_POLICY=nonsense ends_with \
        "place 0: TWILL_POLICY: 'nonsense' is not accepted; give adaptive, success-only" "$1" 2 \
        "$failing" large
}

# unlike <words> <mpi> <argument> <how place 2 is started...>: the other two have other things.
unlike() {
    words=$1
    mpi=$2
    argument=$3
    shift 3
    ends_with "$words" "$mpi" 2 "$failing" "$argument" : -n 1 "$@" "$argument"
}

# Places that have different programs, settings, or things to do.
check_unlike() {
    unlike 'the tasks that travel at place 2 are not those of place 0' "$1" linger \
        "${failing}_debug"
    rebuild
    unlike 'place 2 has another build of the program' "$1" linger ./failures_again
    unlike 'the policy of place 2 is not that of place 0' "$1" linger \
        env TWILL_POLICY=lifeline "$failing"
    unlike 'the detector of place 2 is not that of place 0' "$1" linger \
        env TWILL_DETECTOR=waves "$failing"
    unlike 'place 2 cannot begin: ' "$1" linger env TWILL_RECORD=/nowhere/record "$failing"
    for what in another_task spmd; do
        ends_with 'place 2 has called tw_run or tw_run_spmd with another task' "$1" 3 \
            "$failing" $what
    done
    ends_with 'place [0-2]: places gather values of different sizes' "$1" 3 "$failing" broadcast
    is_well "$1" 3 "$failing" huge_broadcast
}

# The program as another build leaves it: the same but for what the linker calls it.
rebuild() {
    objcopy --dump-section .note.gnu.build-id=id "$failing" failures_again 2>log ||
        complain "the program has no identification"
    printf 'another build' | dd of=id bs=1 seek=16 conv=notrunc 2>/dev/null
    objcopy --update-section .note.gnu.build-id=id "$failing" failures_again
}

# Nothing here needs a launcher; what does says so.
check_alone() {
    env -u LD_LIBRARY_PATH PATH=/nowhere "$TWILL" run uts --tree T5 --places 2 >log 2>&1 &&
        complain "two places without a launcher"
    grep -q 'places 2 needs an MPI launcher' log || complain "nothing is said of the launcher"
    env -i "$failing" large >log 2>&1 || complain "alone: failed"
    env -i TWILL_POLICY=nonsense "$TWILL" run uts --tree T5 >log 2>&1 &&
        complain "alone: an unknown policy was taken"
    grep -q "TWILL_POLICY: 'nonsense'" log || complain "alone: nothing is said of TWILL_POLICY"
}

check_each
check_alone
[ $failures -eq 0 ]
