#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the manual page: man/generate.sh <command>
# Commands, options and variables come from the command's own help, so that the page cannot differ.
set -eu
twill=$1
here=$(dirname "$0")
runtime='Options of the runtime'

group() {
    awk -v only="$1" -f "$here/help.awk"
}

commands() {
    "$twill" help | awk '/^[^ ]/ { inside = /^Commands/ } inside && /^  [^ ]/ { print $1 }'
}

# `twill help help` is the overview again.
options() {
    for name in $(commands); do
        [ "$name" != help ] || continue
        text=$("$twill" "$name" --help | awk -v drop="$runtime" -f "$here/help.awk")
        [ -z "$text" ] || printf '.SS twill %s\n%s\n' "$name" "$text"
    done
}

version=$("$twill" version)
while read -r line; do
    case $line in
    @COMMANDS@) "$twill" help | group Commands ;;
    @OPTIONS@) options ;;
    @RUNTIME@) "$twill" demo --help | group "$runtime" ;;
    @VARIABLES@) "$twill" help | group Variables ;;
    *@VERSION@*) printf '%s%s%s\n' "${line%%@VERSION@*}" "${version#twill }" "${line#*@VERSION@}" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$here/twill.1.in"
