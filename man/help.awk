# SPDX-License-Identifier: Apache-2.0
# Help text of `twill` to man-page text.
#   only=TITLE   just the entries of the group whose title begins so
#   drop=TITLE   everything after the usage, but for that group, which is referred to
# A group is a title at the margin and entries below it: two blanks, a name, two blanks or a new
# line, a text. Other lines at the margin are paragraphs.

function roff(text) {
    gsub(/\\/, "\\\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/\^/, "\\(ha", text)
    return text ~ /^\./ ? "\\\\&" text : text
}

function begins(title) {
    return title != "" && index(held, title) == 1
}

function flush_paragraph() {
    if (held != "" && only == "")
        print ".PP\n" roff(held)
    held = ""
}

# The line held back turns out to be a title.
function open_group() {
    wanted = only == "" ? !begins(drop) : begins(only)
    sub(/:$/, "", held)
    if (wanted && only == "")
        print ".PP\n\\fB" roff(held) "\\fR"
    else if (only == "" && begins(drop))
        print ".PP\nIt takes the options of the runtime, below."
    held = ""
}

function print_entry(line,    cut, name, text, first) {
    cut = match(line, /  +/)
    name = cut ? substr(line, 1, cut - 1) : line
    text = cut ? substr(line, cut + RLENGTH) : ""
    first = name
    sub(/ .*/, "", first)
    print ".TP\n\\fB" roff(first) "\\fR" roff(substr(name, length(first) + 1))
    if (text != "")
        print roff(text)
}

/^$/ { flush_paragraph(); after_usage = 1; next }
only == "" && !after_usage { next }
/^  [^ ]/ {
    if (held != "")
        open_group()
    if (wanted)
        print_entry(substr($0, 3))
    next
}
/^ / {
    sub(/^ +/, "")
    if (wanted)
        print roff($0)
    next
}
{ flush_paragraph(); held = $0 }
END { flush_paragraph() }
