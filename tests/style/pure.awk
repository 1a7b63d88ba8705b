# SPDX-License-Identifier: Apache-2.0
# Reads what `nm -A` says of the pure files: no data that can change, and no function of others but
# those that move bytes.

{
    path = $1
    sub(/^\.\//, "", path)
    sub(/\.o:.*/, "", path)
    kind = $(NF - 1)
    name = $NF
}

kind ~ /^[bBcCdDgGsSvV]$/ {
    sub(/\.[0-9]+$/, "", name)
    printf "%s: a pure file has data that can change: %s\n", path, name
}

kind == "U" {
    wanted[name] = path
    next
}

{
    known[name] = 1
}

END {
    for (name in wanted)
        if (!(name in known) && name !~ /^mem(cpy|move|set|cmp)$/)
            printf "%s: a pure file needs %s\n", wanted[name], name
}
