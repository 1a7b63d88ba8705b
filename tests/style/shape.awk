# SPDX-License-Identifier: Apache-2.0
# Line by line rules of shape_style.sh. Variable: root.

function complain(line, what)
{
    printf "%s:%d: %s\n", path, line, what
    bad = 1
}

function end_opening(lines)
{
    in_opening = 0
    if (is_code && lines > 26) # the licence line, then 25
        complain(lines, "an opening comment of " lines " lines")
}

function end_file()
{
    if (path == "")
        return
    if (in_opening)
        end_opening(last)
    if (!licensed)
        complain(1, "no SPDX line")
    if (is_code && last > 500)
        complain(last, "a file of " last " lines")
}

FNR == 1 {
    end_file()
    path = substr(FILENAME, length(root) + 2)
    is_code = path ~ /^(include|src|apps|sim|cli|bench)\/.*\.[ch]$/
    licensed = 0
    in_opening = 1
    opened = 0
}

FNR <= 2 && /^(\/\/|#) SPDX-License-Identifier: Apache-2\.0$/ {
    licensed = 1
}

in_opening && !/^(\/\/|#)/ {
    end_opening(FNR - 1)
}

# Bytes stand for columns: the sources are ASCII but for a rare name.
{
    last = FNR
    if (path != "Makefile" && /\t/)
        complain(FNR, "a tab")
    if (/[ \t]$/)
        complain(FNR, "a trailing blank")
    if (length($0) > 100 && path ~ /\.([chS]|cpp|sh|awk|cmake)$/)
        complain(FNR, "a line of " length($0) " columns")
    if (/(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ && path !~ /^tests\/style\//)
        complain(FNR, "something left to do")
}

is_code && /^\{$/ {
    opened = FNR
}

is_code && /^\}/ && opened {
    if (FNR - opened - 1 > 70)
        complain(opened, "a function of " FNR - opened - 1 " lines")
    opened = 0
}

END {
    end_file()
    exit bad
}
