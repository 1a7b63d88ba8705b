# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts that seed mistakes into the sources and require that a test finds each. Each
# defines check_unchanged <how> and check_mutant <name> <how> <source> <text> <replacement>, and has
# a list with these five fields on a line.
separator=' | '

# begin <folder of the list> <part of a name>: sets cc, only, list, scratch and report.
begin() {
    ulimit -c 0
    cc=${CC:-cc}
    only=$2
    list=${TWILL_MUTANTS:-$1/mutants.txt}
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    report=$scratch/report
}

passed=0
failed=0
checked=

success() {
    passed=$((passed + 1))
    printf 'ok   %s: %s\n' "$1" "$2"
}

failure() {
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n' "$1" "$2"
}

# Replaces the one occurrence of $2 in file $1 by $3.
replace_once() {
    text=$(cat "$1" && echo x)
    before=${text%%"$2"*}
    if [ "$before" = "$text" ]; then
        echo "the text does not occur in the source"
        return 1
    fi
    after=${text#*"$2"}
    case $after in *"$2"*)
        echo "the text occurs more than once in the source"
        return 1
        ;;
    esac
    printf '%s%s%s' "$before" "$3" "${after%x}" >"$1"
}

# Cuts the first field off $rest into $field.
next_field() {
    field=${rest%%"$separator"*}
    [ "$field" = "$rest" ] && rest= || rest=${rest#*"$separator"}
}

# Each way to test must be content with the sources as they are. Once for each.
check_unchanged_once() {
    case $checked in *"<$1>"*) return 0 ;; esac
    checked="$checked<$1>"
    check_unchanged "$1"
}

# check_list <file> <part of a name>: fails when a mutant was not found, or there is none. Of
# MUTANTS_PARTS parts of the list, part MUTANTS_PART: mutants that are found the same way stay
# together.
check_list() {
    last=
    group=0
    while IFS= read -r rest; do
        case $rest in '' | '#'*) continue ;; esac
        next_field && mutant=$field
        case $mutant in *"$2"*) ;; *) continue ;; esac
        next_field && how=$field
        [ "$how" = "$last" ] || group=$((group + 1))
        last=$how
        [ $((group % ${MUTANTS_PARTS:-1})) -eq "${MUTANTS_PART:-0}" ] || continue
        next_field && source=$field
        next_field && text=$(printf '%b' "$field")
        check_unchanged_once "$how"
        check_mutant "$mutant" "$how" "$source" "$text" "$(printf '%b' "$rest")"
    done <"$1"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
