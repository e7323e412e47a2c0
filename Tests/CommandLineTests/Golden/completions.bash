#!/bin/bash

__cleat_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__cleat_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__cleat_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__cleat_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_cleat() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __cleat_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    get|set|unset|add|remove|reset|list|describe|why|log|show|plan|diff|rollback|confirm|snapshot|extend|abort|try|drift|reapply|adopt|edit|apply|export|watch|events|devices|links|hook|file|schema|status|doctor|completions|help)
        # Offer subcommand argument completions
        "_cleat_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'get set unset add remove reset list describe why log show plan diff rollback confirm snapshot extend abort try drift reapply adopt edit apply export watch events devices links hook file schema status doctor completions help' -- "${cur}"))
        ;;
    esac
}

_cleat_get() {
    repeating_flags=()
    non_repeating_flags=(--reveal --default --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion get -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_set() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --volatile --check --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm --stdin)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    '--stdin')
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion set -- --stdin "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion set -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_unset() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --volatile --check --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion unset -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_add() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --volatile --check --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion add -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_remove() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --volatile --check --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion remove -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_reset() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --yes -y --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion reset -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_list() {
    repeating_flags=()
    non_repeating_flags=(--only-set --reveal --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion list -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_describe() {
    repeating_flags=()
    non_repeating_flags=(--markdown --builtin --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion describe -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_why() {
    repeating_flags=()
    non_repeating_flags=(--reveal --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion why -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_log() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output -n --limit --before)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '-n'|'--limit')
        return
        ;;
    '--before')
        return
        ;;
    esac
}

_cleat_show() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_plan() {
    repeating_flags=()
    non_repeating_flags=(--replace --rollback --reset --volatile --rehearse --version -h --help)
    repeating_options=(--unset --file)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --apply --prefix)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--unset')
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion plan -- --unset "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    '--apply')
        return
        ;;
    '--prefix')
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion plan -- --prefix "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    '--file')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion plan -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_diff() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_rollback() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --check --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_cleat_confirm() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_snapshot() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    create|list|show|diff|restore|delete|export|import)
        # Offer subcommand argument completions
        "_cleat_snapshot_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'create list show diff restore delete export import' -- "${cur}"))
        ;;
    esac
}

_cleat_snapshot_create() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --comment -c)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    esac
}

_cleat_snapshot_list() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_snapshot_show() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_snapshot_diff() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_snapshot_restore() {
    repeating_flags=()
    non_repeating_flags=(--wait --check --files --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_cleat_snapshot_delete() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_snapshot_export() {
    repeating_flags=()
    non_repeating_flags=(--with-secrets --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    2)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_snapshot_import() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --name)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--name')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_extend() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_abort() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_try() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm --apply)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--apply')
        __cleat_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion try -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_drift() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_reapply() {
    repeating_flags=()
    non_repeating_flags=(--wait --all --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --id --comment -c --confirm)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_cleat_adopt() {
    repeating_flags=()
    non_repeating_flags=(--wait --all --as-is --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --id --comment -c --confirm)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac
}

_cleat_edit() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --version -h --help)
    repeating_options=(--until)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --id --comment -c --confirm)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion edit -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_apply() {
    repeating_flags=()
    non_repeating_flags=(--wait --yes-cut-me-off --volatile --check --replace --version -h --help)
    repeating_options=(--until --file)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --expect --id --comment -c --confirm --prefix)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--expect')
        return
        ;;
    '--id')
        return
        ;;
    '--comment'|'-c')
        return
        ;;
    '--confirm')
        return
        ;;
    '--until')
        return
        ;;
    '--prefix')
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion apply -- --prefix "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    '--file')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_export() {
    repeating_flags=()
    non_repeating_flags=(--defaults --reveal --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --format)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--format')
        __cleat_add_completions -W 'json5'$'\n''json'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion export -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_watch() {
    repeating_flags=()
    non_repeating_flags=(--no-initial --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output -n --count)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '-n'|'--count')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion watch -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_events() {
    repeating_flags=()
    non_repeating_flags=(--properties --version -h --help)
    repeating_options=(--source)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --action --subject --instance --after -n --count)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--source')
        __cleat_add_completions -W 'device'$'\n''link'$'\n''power'$'\n''file'$'\n''setting'$'\n''agent'
        return
        ;;
    '--action')
        return
        ;;
    '--subject')
        return
        ;;
    '--instance')
        return
        ;;
    '--after')
        return
        ;;
    '-n'|'--count')
        return
        ;;
    esac
}

_cleat_devices() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --subsystem)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--subsystem')
        return
        ;;
    esac
}

_cleat_links() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_hook() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|test|run)
        # Offer subcommand argument completions
        "_cleat_hook_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list test run' -- "${cur}"))
        ;;
    esac
}

_cleat_hook_list() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_hook_test() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=(--property)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --source --action --subject)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--source')
        __cleat_add_completions -W 'device'$'\n''link'$'\n''power'$'\n''file'$'\n''setting'$'\n''agent'
        return
        ;;
    '--action')
        return
        ;;
    '--subject')
        return
        ;;
    '--property')
        return
        ;;
    esac
}

_cleat_hook_run() {
    repeating_flags=()
    non_repeating_flags=(--force --version -h --help)
    repeating_options=(--property)
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --source --action --subject)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--source')
        __cleat_add_completions -W 'device'$'\n''link'$'\n''power'$'\n''file'$'\n''setting'$'\n''agent'
        return
        ;;
    '--action')
        return
        ;;
    '--subject')
        return
        ;;
    '--property')
        return
        ;;
    esac
}

_cleat_file() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    ls|stat|get|put|cat|rm|mv|cp|mkdir|df|uploads|abort)
        # Offer subcommand argument completions
        "_cleat_file_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'ls stat get put cat rm mv cp mkdir df uploads abort' -- "${cur}"))
        ;;
    esac
}

_cleat_file_ls() {
    repeating_flags=()
    non_repeating_flags=(--recursive -r --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file ls -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_stat() {
    repeating_flags=()
    non_repeating_flags=(--sha256 --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file stat -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_get() {
    repeating_flags=()
    non_repeating_flags=(--recursive -r --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file get -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    2)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_file_put() {
    repeating_flags=()
    non_repeating_flags=(--recursive -r --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --id --mode)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--id')
        return
        ;;
    '--mode')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file put -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_cat() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file cat -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_rm() {
    repeating_flags=()
    non_repeating_flags=(--recursive -r --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file rm -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_mv() {
    repeating_flags=()
    non_repeating_flags=(--no-replace --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file mv -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    2)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file mv -- positional@1 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_cp() {
    repeating_flags=()
    non_repeating_flags=(--no-replace --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file cp -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    2)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file cp -- positional@1 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_mkdir() {
    repeating_flags=()
    non_repeating_flags=(--parents -p --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W "$(__cleat_custom_complete ---completion file mkdir -- positional@0 "${COMP_CWORD}" "$(__cleat_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_cleat_file_df() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_file_uploads() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_file_abort() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output --user)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    '--user')
        return
        ;;
    esac
}

_cleat_schema() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    validate|check|export)
        # Offer subcommand argument completions
        "_cleat_schema_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'validate check export' -- "${cur}"))
        ;;
    esac
}

_cleat_schema_validate() {
    repeating_flags=()
    non_repeating_flags=(--assert-format --stdin-lines --version -h --help)
    repeating_options=()
    non_repeating_options=(--output)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_schema_check() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(--output)
    __cleat_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __cleat_add_completions -f
        return
        ;;
    esac
}

_cleat_schema_export() {
    repeating_flags=()
    non_repeating_flags=(--builtin --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_status() {
    repeating_flags=()
    non_repeating_flags=(--counters --version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_doctor() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=(-H --host -P --port --ssh --remote-command --socket --root --output)
    __cleat_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-H'|'--host')
        return
        ;;
    '-P'|'--port')
        return
        ;;
    '--ssh')
        return
        ;;
    '--remote-command')
        return
        ;;
    '--socket')
        __cleat_add_completions -f
        return
        ;;
    '--root')
        __cleat_add_completions -d
        return
        ;;
    '--output')
        __cleat_add_completions -W 'text'$'\n''json'$'\n''json-lines'
        return
        ;;
    esac
}

_cleat_completions() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options 1

    # Offer positional completions
    case "${positional_number}" in
    1)
        __cleat_add_completions -W 'bash'$'\n''zsh'$'\n''fish'
        return
        ;;
    esac
}

_cleat_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __cleat_offer_flags_options -1
}

complete -o filenames -F _cleat cleat
