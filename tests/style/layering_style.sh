#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom. A folder of src/ includes itself and what its line below names; the pure
# files (decisions, steal policies, balancers) see neither clocks nor memory nor other threads;
# public headers stand alone; programs see public headers only, but the simulator the protocols and
# what they stand on, one benchmark the place whose messages it stamps, and one the queue that it
# measures; MPI is known to one file. Pure files are compiled, too: then it shows what they call,
# and whether they have data that can change.
set -eu
. "$(dirname "$0")/common.sh"

folders='
base
trace       base
core        base trace
rule        base
sched       base trace core rule
io          base trace core rule sched
task        base trace core rule sched io
channel     base trace core rule sched io task
fabric      base
steal       base fabric
balance     base
place       base trace core rule sched io task channel fabric steal
collection  base trace core rule sched io task channel fabric steal balance place
'

check_includes() {
    sources "$1" src include apps sim cli bench examples | (
        bad=0
        while read -r file; do
            awk -v path="${file#"$1"/}" -v folders="$folders" -v root="$1" \
                -f "$(dirname "$0")/layering.awk" "$file" || bad=1
        done
        [ $bad -eq 0 ]
    )
}

# Compiles a pure file alone, a header with all its functions.
compile_pure() {
    mkdir -p "$objects/$(dirname "$2")"
    ${CC:-cc} -x c -std=gnu11 -O0 -w -fno-pic -fkeep-inline-functions -fno-stack-protector \
        -DNDEBUG -I"$1/src" -c "$1/$2" -o "$objects/$2.o" >"$objects/errors" 2>&1 ||
        printf '%s: a pure file does not compile alone: %s\n' "$2" "$(head -n 1 "$objects/errors")"
}

check_pure() {
    objects=$(mktemp -d)
    report=$(
        sources "$1" src/rule src/steal src/balance | grep -v '/host[^/]*$' | while read -r file; do
            compile_pure "$1" "${file#"$1"/}"
        done
        (cd "$objects" && find . -name '*.o' -exec nm -A {} +) |
            awk -f "$(dirname "$0")/pure.awk"
    )
    rm -rf "$objects"
    [ -z "$report" ] || printf '%s\n' "$report"
    [ -z "$report" ]
}

check() {
    bad=0
    check_includes "$1" || bad=1
    check_pure "$1" || bad=1
    [ $bad -eq 0 ]
}

self_test() {
    printf '#include "base/os.h"\n#include "deque.h"\n#include <twill/a.h>\n' | put src/core/deque.c
    printf '#include <stdint.h>\n' | put src/core/deque.h
    printf '#include "base/rng.h"\n#include <stdbool.h>\n' | put src/rule/victim.c
    printf 'struct rng;\n' | put src/base/rng.h
    put src/steal/table.c <<'T'
#include <string.h>
struct machine { void (*step)(void); };
extern const struct machine first;
static void step(void) { char a[9], b[9] = ""; memcpy(a, b, 9); }
static const struct machine second = {step};
const struct machine *const table[] = {&first, &second};
const char *name(int i) { static const char *const names[] = {"a", "b"}; return names[i]; }
T
    printf 'struct machine { void (*step)(void); };\nconst struct machine first;\n' |
        put src/steal/first.c
    printf '#include <mpi.h>\n' | put src/fabric/mpi.c
    printf '#include <twill/atomic.h>\n#include <string.h>\n' | put include/twill/task.h
    printf '#include "steal/host.h"\n#include "apps/uts/uts.h"\n' | put sim/run.c
    expect_clean "a tree in order"

    printf '#include "sched/worker.h"\n' | put src/core/deque.c
    expect_report "an include of a higher layer" "core may not include sched"
    printf '#include "fabric/fabric.h"\n' | put src/sched/worker.c
    expect_report "a scheduler that knows the fabric" "sched may not include fabric"
    printf '#include "core/deque.h"\n' | put src/steal/host.c
    expect_report "a policy host that knows the deque" "steal may not include core"
    printf '#include "../core/deque.h"\n' | put src/task/task.c
    expect_report "a relative include" "relative"
    printf '#include "nowhere.h"\n' | put src/task/task.c
    expect_report "an include without its folder" "not in this folder"
    printf 'int x;\n' | put src/extra/x.c
    expect_report "a folder without a line in the table" "unknown folder"
    printf '#include <mpi.h>\n' | put src/place/place.c
    expect_report "a second file that knows MPI" "mpi.h"
    printf '#include <time.h>\n' | put src/rule/victim.c
    expect_report "a decision that sees a clock" "pure"
    printf '#include "base/os.h"\n' | put src/steal/baseline.c
    expect_report "a policy that sees the system" "pure"
    printf 'int f(int *p)\n{\n    return TWI_LOAD(p, TWI_RELAXED);\n}\n' | put src/rule/batch.h
    expect_report "a decision with an atomic" "pure"
    printf 'void *f(void)\n{\n    return malloc(3);\n}\n' | put src/steal/baseline.c
    expect_report "a policy that allocates" "pure"
    printf '#include "steal/host.h"\n' | put src/steal/baseline.c
    expect_report "a policy that knows its host" "pure"
    printf 'static int turns;\nint f(void) { return ++turns; }\n' | put src/steal/baseline.c
    expect_report "a policy with a variable of its file" "can change: turns"
    printf 'int f(void) { static int turns; return ++turns; }\n' | put src/steal/baseline.c
    expect_report "a policy with a static in a function" "can change: turns"
    printf 'static inline int f(void) { static int turns = 3; return turns--; }\n' |
        put src/rule/batch.h
    expect_report "a header with a static in a function" "can change: turns"
    printf 'const char *last = "none";\n' | put src/steal/baseline.c
    expect_report "a policy with a pointer that can change" "can change: last"
    printf 'static __thread int turns;\nint f(void) { return ++turns; }\n' | put src/steal/lone.c
    expect_report "a policy with a variable of its thread" "can change: turns"
    printf 'int puts(const char *);\nint f(void) { return puts("hm"); }\n' | put src/steal/lone.c
    expect_report "a policy that writes by a function of its own declaration" "needs puts"
    printf 'void twi_host_begin(void *);\nvoid f(void *h) { twi_host_begin(h); }\n' |
        put src/steal/lone.c
    expect_report "a policy that calls its host" "needs twi_host_begin"
    printf '#include "steal/machine.h"\n' | put src/balance/tree.c
    expect_report "a balancer that knows the policies" "balance may not include steal"
    printf '#include <stdlib.h>\n' | put src/balance/tree.c
    expect_report "a balancer that allocates" "pure"
    printf 'static int turns;\nint f(void) { return ++turns; }\n' | put src/balance/tree.c
    expect_report "a balancer with a variable of its file" "can change: turns"
    printf '#include "core/deque.h"\n' | put include/twill/task.h
    expect_report "a public header that includes a private one" "public header"
    printf '#include "sched/worker.h"\n' | put cli/main.c
    expect_report "a program that includes a private header" "public headers only"
    printf '#include "sched/worker.h"\n' | put sim/run.c
    expect_report "a simulator that knows the scheduler" "public headers only"
}

run_style_test "$@"
