# SPDX-License-Identifier: Apache-2.0
# One source file against the table of layering_style.sh.
# Variables: path (from the root), root, folders (a line per folder: itself, then what it may see).

function complain(what)
{
    printf "%s:%d: %s\n", path, FNR, what
    bad = 1
}

function exists(name,    ignored, found)
{
    found = (getline ignored < name) >= 0
    close(name)
    return found
}

BEGIN {
    count = split(folders, line, "\n")
    for (i = 1; i <= count; i++) {
        words = split(line[i], word, " ")
        if (words > 0)
            known[word[1]] = 1
        for (j = 1; j <= words; j++)
            allowed[word[1], word[j]] = 1
    }
    split(path, part, "/")
    top = part[1]
    folder = part[2]
    pure = path ~ /^src\/(rule|balance)\// || (path ~ /^src\/steal\// && path !~ /\/host[^\/]*$/)
    if (top == "src" && !(folder in known))
        complain("unknown folder " folder ": give it a line in layering_style.sh")
}

function check_system(name)
{
    if (name == "mpi.h" && path != "src/fabric/mpi.c" && path !~ /^bench\/peers\//)
        complain("only src/fabric/mpi.c includes mpi.h")
    if (pure && name !~ /^(assert|limits|stdbool|stddef|stdint|string)\.h$/)
        complain("a pure file includes <" name ">")
}

function check_private(name,    target)
{
    target = name
    sub(/\/.*/, "", target)
    if (name ~ /(^|\/)\.\.\//)
        complain("relative include of " name)
    else if (name !~ /\//) {
        if (!exists(root "/src/" folder "/" name))
            complain(name " is not in this folder: name the folder it is in")
    } else if (!((folder, target) in allowed))
        complain(folder " may not include " target)
    else if (pure && (target != folder && name != "base/rng.h" || name ~ /(^|\/)host[^\/]*$/))
        complain("a pure file includes " name)
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0
    sub(/^[^<]*</, "", name)
    sub(/>.*/, "", name)
    check_system(name)
    next
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    target = name
    sub(/\/.*/, "", target)
    if (top == "src")
        check_private(name)
    else if (top == "include" && !(path == "include/twill/atomic.h" && name == "model.h"))
        complain("a public header includes " name)
    else if (path == "bench/trip.c" && target ~ /^(fabric|place|steal)$/)
        next
    else if (path == "bench/case_collection.c" && name == "collection/split.h")
        next
    else if (top == "sim" && target ~ /^(base|fabric|steal|balance)$/)
        next
    else if (target in known && name ~ /\//)
        complain("programs include public headers only, not " name)
    next
}

pure {
    code = $0
    sub(/\/\/.*/, "", code)
    if (code ~ /TWI_[A-Z_]*(LOAD|STORE|CAS|EXCHANGE|FETCH|FENCE)[A-Z_]*\(|__atomic_|__thread/)
        complain("a pure file has no atomics")
    if (code ~ /(^|[^a-z_])([mc]alloc|realloc|free|mmap|getenv|[a-z]*printf|clock_gettime|time)\(/)
        complain("a pure file has no clock, memory or input and output")
}

END {
    exit bad
}
