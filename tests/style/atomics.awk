# SPDX-License-Identifier: Apache-2.0
# Reads the files of atomics_style.sh one statement at a time. A statement runs to the line that
# ends in one of ; { } : or to the end of its preprocessor lines; the comment lines directly above
# belong to it. Variable: root.

function complain(line, what)
{
    printf "%s:%d: %s\n", path, line, what
    bad = 1
}

function reset()
{
    words = operation = ""
    inside = 0
}

# Counts the tags of one comment. "published by [D1]" names an edge without being an end of it.
function count_tags(text, opening,    tag)
{
    while (match(text, /\[[A-Z]+[0-9]+\]/)) {
        tag = substr(text, RSTART, RLENGTH)
        if (opening)
            listed[tag] = 1
        else if (substr(text, 1, RSTART - 1) !~ /(by|see) $/)
            sites[tag]++
        if (!(tag in first))
            first[tag] = path ":" FNR
        text = substr(text, RSTART + RLENGTH)
    }
}

function explained(text)
{
    return text ~ /\[[A-Z]+[0-9]+\]|relaxed:|owner-only|owner only|hint|statistic|rechecked/
}

function end_statement()
{
    if (operation != "" && !explained(words))
        complain(operation_line, operation " names no edge and no reason")
    reset()
}

FNR == 1 {
    reset()
    path = substr(FILENAME, length(root) + 2)
    in_opening = 1
}

{
    code = comment = $0
    if (!sub(/^.*\/\//, "", comment))
        comment = ""
    sub(/[ \t]*\/\/.*/, "", code)
    sub(/[ \t]*\\$/, " \\", code)
    comment_only = $0 ~ /^[ \t]*\/\//
    if (!comment_only)
        in_opening = 0
    count_tags(comment, in_opening)
}

in_opening {
    next
}

comment_only {
    words = words " " comment
    next
}

code ~ /^[ \t]*$/ {
    if (!inside)
        reset()
    next
}

{
    if (code ~ /__atomic_|__sync_|stdatomic|_Atomic/)
        complain(FNR, "raw atomic: use include/twill/atomic.h")
    if (match(code, /TWI_(LOAD|STORE|CAS|EXCHANGE|FETCH_[A-Z]+|FENCE)\(/) ||
        (code ~ /^[ \t]/ && match(code, /twi_membarrier\(/))) {
        operation = substr(code, RSTART, RLENGTH - 1)
        operation_line = FNR
    }
    inside = 1
    words = words " " comment
    preprocessor = code ~ /^[ \t]*#/ || preprocessor
    if (preprocessor ? code !~ /\\$/ : code ~ /[;{}:]$/) {
        preprocessor = 0
        end_statement()
    }
}

END {
    for (tag in first)
        if (sites[tag] < 2) {
            printf "%s: %s stands at %d site\n", first[tag], tag, sites[tag]
            bad = 1
        } else if (!(tag in listed)) {
            printf "%s: %s is in no opening comment\n", first[tag], tag
            bad = 1
        }
    exit bad
}
