#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what the benchmarks compare with: sh bench/peers/build.sh <output folder>
# The programs are <output folder>/<runtime>; what they need beside a compiler comes from Debian.
# A runtime whose compiler or library is absent is left out with a word.
# CARGO names the cargo to use.
set -u
[ $# -eq 1 ] || { echo "usage: $0 <output folder>" >&2; exit 2; }
mkdir -p "$1" || exit 1
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 1
crates=/usr/share/cargo/registry
optimise="-O3 -DNDEBUG -D_GNU_SOURCE -I."
objects="$out/objects"
failed=0
mkdir -p "$objects"

have() { command -v "$1" >/dev/null 2>&1; }

# say <runtime> <word>
say() { echo "peers: $1: $2"; }

# built <runtime> <status of its compilation>
built() {
    if [ "$2" -eq 0 ]; then
        say "$1" built
    else
        rm -f "${out:?}/$1"
        say "$1" "left out, its build failed"
        failed=1
    fi
}

# The parts every peer shares, compiled once by gcc: protocol, probes, UTS nodes, leaves that
# wait, traffic, and what sorts, transforms, loops, products and sweeps do sequentially.
shared_objects() {
    for source in bench/serve.c bench/probe.c bench/stats.c bench/loops.c bench/kernels.c \
        bench/leaves.c bench/scatter.c bench/late.c bench/app_data.c bench/peers/uts_tree.c \
        bench/messages.c sim/partners.c \
        apps/uts/tree.c apps/uts/sha1.c apps/uts/sha1_ni.c \
        apps/sort/keys.c apps/sort/merge.c apps/fft/transform.c \
        apps/matmul/tiles.c apps/stencil/rows.c; do
        gcc -std=gnu11 $optimise -c "$source" -o "$objects/$(basename "$source" .c).o" || return 1
    done
    rm -f "$objects/libpeer.a"
    ar rcs "$objects/libpeer.a" "$objects"/*.o
}

can_link() { echo "int main(void) { return 0; }" | "$@" -o /dev/null 2>/dev/null; }

openmp() {
    name=$1 compiler=$2
    if ! have "$compiler"; then
        say "$name" "left out, no $compiler"
    elif ! can_link "$compiler" -xc - -fopenmp; then
        say "$name" "left out, $compiler has no OpenMP library"
    else
        "$compiler" -std=gnu11 $optimise -fopenmp \
            bench/peers/openmp.c bench/peers/openmp_apps.c \
            "$objects/libpeer.a" -lm -o "$out/$name"
        built "$name" $?
    fi
}

onetbb() {
    if ! have g++; then
        say tbb "left out, no g++"
    elif ! can_link g++ -xc++ - -ltbb; then
        say tbb "left out, no oneTBB (libtbb-dev)"
    else
        g++ -std=c++17 $optimise bench/peers/tbb.cpp bench/peers/tbb_apps.cpp \
            "$objects/libpeer.a" -ltbb -lm -o "$out/tbb"
        built tbb $?
    fi
}

boost() {
    if ! have g++; then
        say boost "left out, no g++"
    elif ! can_link g++ -xc++ - -lboost_fiber -lboost_context; then
        say boost "left out, no Boost.Fiber (libboost-fiber-dev)"
    else
        g++ -std=c++17 $optimise bench/peers/boost.cpp bench/peers/boost_scatter.cpp \
            "$objects/libpeer.a" -lboost_fiber -lboost_context -lpthread \
            -o "$out/boost"
        built boost $?
    fi
}

simgrid() {
    if ! have g++; then
        say simgrid "left out, no g++"
    elif ! can_link g++ -xc++ - -lsimgrid; then
        say simgrid "left out, no SimGrid (libsimgrid-dev)"
    else
        g++ -std=c++17 $optimise bench/peers/simgrid.cpp "$objects/libpeer.a" -lsimgrid \
            -o "$out/simgrid"
        built simgrid $?
    fi
}

threads() {
    gcc -std=gnu11 $optimise bench/peers/threads.c bench/peers/threads_scatter.c \
        "$objects/libpeer.a" -lpthread -o "$out/threads"
    built threads $?
}

# A copy, because go wants a module, which the folder of the sources shall not be.
golang() {
    if ! have go; then
        say go "left out, no go (golang-go)"
        return
    fi
    mkdir -p "$out/golang"
    cp bench/peers/go/*.go "$out/golang/"
    echo "module peer" >"$out/golang/go.mod"
    (cd "$out/golang" && GOCACHE="$out/golang/cache" go build -o "$out/go" .)
    built go $?
}

# crate <name> <major version>: the program in Rust at bench/peers/<name>.
# Older rustc makes crossbeam's fences an mfence, which triples rayon's cost: a newer
# toolchain in the path is therefore preferred to Debian's. Both use Debian's crates, offline.
crate() {
    if ! ls -d "$crates/$1-$2".* >/dev/null 2>&1; then
        say "$1" "left out, no $1 (librust-$1-dev)"
        return
    fi
    for cargo in ${CARGO:-cargo /usr/bin/cargo}; do
        if have "$cargo" && crate_by "$cargo" "$1" "$2"; then
            say "$1" "built: $("$out/$1" --version)"
            return
        fi
    done
    say "$1" "left out, no cargo that builds it"
}

# A copy, because cargo writes beside its manifest.
crate_by() {
    rustc=$(dirname "$(command -v "$1")")/rustc
    about="$2 $(ls "$crates" | sed -n "s/^$2-\($3\..*\)/\1/p"), $("$rustc" --version)"
    folder="$out/cargo-$2"
    mkdir -p "$folder/.cargo" "$folder/src"
    rm -f "$folder/Cargo.lock" # another cargo's may be of a form this one does not know
    cp "bench/peers/$2/Cargo.toml" "$folder/"
    cp "bench/peers/$2/src"/*.rs "$folder/src/"
    cp bench/peers/serve.rs "$out/"
    cat >"$folder/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "$crates"
END
    (cd "$folder" && RUSTC=$rustc PEER_ABOUT=$about "$1" rustc --quiet --release --offline -- \
        -L "native=$objects" -l static=peer -l m) &&
        cp "$folder/target/release/peer-$2" "$out/$2"
}

# plain_mpi <mpi>: gcc by the wrapper of that MPI.
plain_mpi() {
    if ! have "mpicc.$1"; then
        say "uts-$1" "left out, no mpicc.$1"
    else
        OMPI_CC=gcc MPICH_CC=gcc "mpicc.$1" -std=gnu11 $optimise bench/peers/uts_mpi.c \
            "$objects/libpeer.a" -lm -o "$out/uts-$1"
        built "uts-$1" $?
    fi
}

# Twill itself, its tasks compiled by clang and the library as it was built.
twill_clang() {
    library="$out/../lib/libtwill.a"
    if ! have clang; then
        say twill-clang "left out, no clang"
    elif [ ! -f "$library" ]; then
        say twill-clang "left out, build Twill first: make"
    else
        clang -std=gnu11 $optimise -falign-functions=32 -Iinclude -Ibench \
            bench/peers/twill_clang.c bench/case_fib.c \
            bench/serve_pool.c bench/bare_fib.c "$objects/libpeer.a" \
            "$library" -lpthread -ldl -lm -o "$out/twill-clang"
        built twill-clang $?
    fi
}

have gcc && have ar || { echo "peers: nothing built, no gcc" >&2; exit 1; }
shared_objects || exit 1
openmp openmp-gcc gcc
openmp openmp-clang clang
onetbb
crate rayon 1
twill_clang
threads
boost
golang
crate tokio 1
simgrid
plain_mpi openmpi
plain_mpi mpich
exit $failed
