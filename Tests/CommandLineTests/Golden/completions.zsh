#compdef cleat

__cleat_complete() {
    local -ar non_empty_completions=("${@:#(|:*)}")
    local -ar empty_completions=("${(M)@:#(|:*)}")
    _describe -V '' non_empty_completions -- empty_completions -P $'\'\''
}

__cleat_custom_complete() {
    local -a completions
    completions=("${(@f)"$("${command_name}" "${@}" "${command_line[@]}")"}")
    if [[ "${#completions[@]}" -gt 1 ]]; then
        __cleat_complete "${completions[@]:0:-1}"
    fi
}

__cleat_cursor_index_in_current_word() {
    if [[ -z "${QIPREFIX}${IPREFIX}${PREFIX}" ]]; then
        printf 0
    else
        printf %s "${#${(z)LBUFFER}[-1]}"
    fi
}

_cleat() {
    emulate -RL zsh -G
    setopt extendedglob nullglob numericglobsort
    unsetopt aliases banghist

    local -xr SAP_SHELL=zsh
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(builtin emulate zsh -c 'printf %s "${ZSH_VERSION}"')"
    local -r SAP_SHELL_VERSION

    local context state state_descr line
    local -A opt_args

    local -r command_name="${words[1]}"
    local -ar command_line=("${words[@]}")
    local -ir current_word_index="$((CURRENT - 1))"

    local -i ret=1
    local -ar arg_specs=(
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
        '(-): :->command'
        '(-)*:: :->arg'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0
    case "${state}" in
    command)
        local -ar subcommands=(
            'get:Print what a setting holds.'
            'set:Change settings, all of them or none.'
            'unset:Go back to the defaults.'
            'add:Add values to a list.'
            'remove:Remove values from a list.'
            'reset:Give settings back to factory data and defaults.'
            'list:List settings with their values and where these come from.'
            'describe:Say which settings there are and what they may hold.'
            'why:Say where a setting'\''s value comes from.'
            'log:Show who changed what, the newest first.'
            'show:Show one generation: who made it, when, why, and what it changed.'
            'plan:Show what a change would do to the board, without making it.'
            'diff:Show what differs between two generations.'
            'rollback:Bring back the settings of an earlier generation.'
            'confirm:Keep the change that is on trial.'
            'snapshot:Keep states of the board by name, compare them and bring them back.'
            'extend:Give the change that is on trial another time to be confirmed in.'
            'abort:Undo the change that is on trial.'
            'try:Run a command while changes are on trial: keep them if it succeeds.'
            'drift:Say what was changed outside of what the service has written.'
            'reapply:Write what the settings say in the place of what was changed outside.'
            'adopt:Take over what was changed outside, as a change of settings.'
            'edit:Change settings in an editor.'
            'apply:Make settings as a file says, in one transaction.'
            'export:Print settings as a file that `cleat apply` takes.'
            'watch:Follow settings as they change.'
            'events:Follow what happens on the board.'
            'devices:List the devices of the board.'
            'links:List the network links of the board.'
            'hook:Look at hooks and try them.'
            'file:Look at, send, fetch and change the files of the board.'
            'schema:Check documents and schemas, and print the schema in force.'
            'status:Say how the service is.'
            'doctor:Say what is not as it should be, and what to do about it.'
            'completions:Print a completion script for a shell.'
            'help:Show subcommand help information.'
        )
        _describe -V subcommand subcommands && ret=0
        ;;
    arg)
        case "${words[1]}" in
        get|set|unset|add|remove|reset|list|describe|why|log|show|plan|diff|rollback|confirm|snapshot|extend|abort|try|drift|reapply|adopt|edit|apply|export|watch|events|devices|links|hook|file|schema|status|doctor|completions|help)
            "_cleat_${words[1]}" && ret=0
            ;;
        esac
        ;;
    esac

    return "${ret}"
}

_cleat_get() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--reveal[Show secrets, too; only root and the service'\''s own user may.]'
        '--default[Print the schema'\''s default, whatever is set.]'
        ':path:{__cleat_custom_complete ---completion get -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_set() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--volatile[Let the change last until the next boot only; no generation is made.]'
        '--check[Only say whether the change would be taken, and what it would change.]'
        '--stdin[Read the value of a setting from standard input.]:path:{__cleat_custom_complete ---completion set -- --stdin "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '*:path=value:{__cleat_custom_complete ---completion set -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_unset() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--volatile[Let the change last until the next boot only; no generation is made.]'
        '--check[Only say whether the change would be taken, and what it would change.]'
        '*:paths:{__cleat_custom_complete ---completion unset -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_add() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--volatile[Let the change last until the next boot only; no generation is made.]'
        '--check[Only say whether the change would be taken, and what it would change.]'
        ':path:{__cleat_custom_complete ---completion add -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '*:values:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_remove() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--volatile[Let the change last until the next boot only; no generation is made.]'
        '--check[Only say whether the change would be taken, and what it would change.]'
        ':path:{__cleat_custom_complete ---completion remove -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '*:values:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_reset() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '(--yes -y)'{--yes,-y}'[Do not ask before everything is reset.]'
        ':prefix:{__cleat_custom_complete ---completion reset -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_list() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--only-set[Leave out what nobody has set.]'
        '--reveal[Show secrets, too; only root and the service'\''s own user may.]'
        ':prefix:{__cleat_custom_complete ---completion list -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_describe() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--markdown[Print a page in Markdown.]'
        '--builtin[Describe what Cleat has by itself; no service is asked.]'
        ':path:{__cleat_custom_complete ---completion describe -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_why() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--reveal[Show a secret'\''s values; only root and the service'\''s own user may.]'
        ':path:{__cleat_custom_complete ---completion why -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_log() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(-n --limit)'{-n,--limit}'[How many generations are shown.]:limit:'
        '--before[Show only generations below this one.]:generation:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_show() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':generation:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_plan() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '*--unset[A setting or a group that is unset.]:path:{__cleat_custom_complete ---completion plan -- --unset "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--apply[Plan what `cleat apply` would do with a file, or - for standard input.]:file:'
        '--replace[With --apply, unset what the file does not name.]'
        '--prefix[With --apply, the path that the file is about.]:path:{__cleat_custom_complete ---completion plan -- --prefix "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '*--file[With --apply, a file for the area documents, and where it lies here. Repeatable.]:path=file:'
        '--rollback[Plan what `cleat rollback` would do.]'
        '--reset[Plan what `cleat reset` would do.]'
        '--volatile[The change lasts until the next boot only.]'
        '--rehearse[Make the change, undo it at once, and see whether all is as it was.]'
        '*:path=value:{__cleat_custom_complete ---completion plan -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_diff() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':from:'
        ':to:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_rollback() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--check[Check the changes and show them, but change nothing.]'
        ':generation:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_confirm() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':id:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot() {
    local -i ret=1
    local -ar arg_specs=(
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
        '(-): :->command'
        '(-)*:: :->arg'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0
    case "${state}" in
    command)
        local -ar subcommands=(
            'create:Keep the present state under a name.'
            'list:List the snapshots, and what they take.'
            'show:Show what a snapshot holds, and check that all of it is whole.'
            'diff:Show what differs between a snapshot and another one, or what is now.'
            'restore:Bring back the settings of a snapshot.'
            'delete:Delete a snapshot, and what no other one holds of it.'
            'export:Write a snapshot into one file, without secrets.'
            'import:Take in a snapshot that was exported.'
        )
        _describe -V subcommand subcommands && ret=0
        ;;
    arg)
        case "${words[1]}" in
        create|list|show|diff|restore|delete|export|import)
            "_cleat_snapshot_${words[1]}" && ret=0
            ;;
        esac
        ;;
    esac

    return "${ret}"
}

_cleat_snapshot_create() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--comment -c)'{--comment,-c}'[Say why.]:text:'
        ':name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_list() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_show() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_diff() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':name:'
        ':other:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_restore() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--check[Check the changes and show them, but change nothing.]'
        '--files[Bring files and values back, too, that settings do not make what they were.]'
        ':name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_delete() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_export() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--with-secrets[Refused\: Cleat writes secrets nowhere in the clear, and does not encrypt.]'
        ':name:'
        ':file:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_snapshot_import() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--name[Take another name than the one in the file.]:name:'
        ':file:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_extend() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':duration:'
        ':id:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_abort() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        ':id:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_try() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the changes where the command takes longer than this (1s to 1d).]:duration:'
        '--apply[Merge this file, as `cleat apply` does.]:file:_files'
        '*:path=value:{__cleat_custom_complete ---completion try -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_drift() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_reapply() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--id[Name the change on trial, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--all[All that `cleat drift` lists.]'
        '*:names:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_adopt() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--id[Name the change on trial, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--all[All that `cleat drift` lists.]'
        '*:names:'
        '--as-is[Keep edits that no setting can express.]'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_edit() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        ':prefix:{__cleat_custom_complete ---completion edit -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_apply() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--expect[Refuse the change unless the settings are still of this generation.]:\[store\:\]generation:'
        '--id[Name the transaction, so that it can be repeated safely.]:id:'
        '(--comment -c)'{--comment,-c}'[The reason, for the log.]:text:'
        '--confirm[Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).]:duration:'
        '*--until[Keep the change by itself once this holds\: link\:NAME, address\:NAME-OR-ADDRESS, ping\:ADDRESS, tcp\:ADDRESS\:PORT or command\:NAME. Repeatable; without --confirm it has 2m.]:probe:'
        '--wait[Wait until the change on trial is kept (0) or undone (10).]'
        '--yes-cut-me-off[Make a change that ends the connection of this command at once; else it is on trial for 2m first.]'
        '--volatile[Let the change last until the next boot only; no generation is made.]'
        '--check[Only say whether the change would be taken, and what it would change.]'
        '--replace[Unset what the file does not name.]'
        '--prefix[The path that the file is about; nothing else is changed.]:path:{__cleat_custom_complete ---completion apply -- --prefix "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '*--file[A file for the area documents, and where it lies here. Repeatable.]:path=file:'
        ':file:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_export() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar ___format=('json5' 'json')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--defaults[Print everything that holds, whichever layer it comes from, and mere defaults too.]'
        '--reveal[Print secrets, too; only root and the service'\''s own user may.]'
        '--format[The form of the text\: json5 (with comments) or json.]:form:{__cleat_complete "${___format[@]}"}'
        ':prefix:{__cleat_custom_complete ---completion export -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_watch() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--no-initial[Leave out the present values.]'
        '(-n --count)'{-n,--count}'[End after this number of commits.]:number:'
        '*:paths:{__cleat_custom_complete ---completion watch -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_events() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar ___source=('device' 'link' 'power' 'file' 'setting' 'agent')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '*--source[Only events of this source; may be repeated.]:source:{__cleat_complete "${___source[@]}"}'
        '--action[Only actions that match this pattern.]:glob:'
        '--subject[Only subjects that match this pattern.]:glob:'
        '--properties[Show the properties of each event.]'
        '--instance[The run of the service that --after belongs to.]:id:'
        '--after[Go on after this event.]:number:'
        '(-n --count)'{-n,--count}'[End after this number of events.]:number:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_devices() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--subsystem[Only devices of this subsystem.]:name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_links() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_hook() {
    local -i ret=1
    local -ar arg_specs=(
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
        '(-): :->command'
        '(-)*:: :->arg'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0
    case "${state}" in
    command)
        local -ar subcommands=(
            'list:List the hooks, how they fared, and which files are not in force.'
            'test:Show what a hook would do on a made-up event; nothing is run.'
            'run:Run a hook now on a made-up event.'
        )
        _describe -V subcommand subcommands && ret=0
        ;;
    arg)
        case "${words[1]}" in
        list|test|run)
            "_cleat_hook_${words[1]}" && ret=0
            ;;
        esac
        ;;
    esac

    return "${ret}"
}

_cleat_hook_list() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_hook_test() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar ___source=('device' 'link' 'power' 'file' 'setting' 'agent')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--source[The event'\''s source.]:source:{__cleat_complete "${___source[@]}"}'
        '--action[The event'\''s action.]:action:'
        '--subject[The event'\''s subject.]:subject:'
        '*--property[A property of the event; may be repeated.]:name=value:'
        ':name:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_hook_run() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar ___source=('device' 'link' 'power' 'file' 'setting' 'agent')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--source[The event'\''s source.]:source:{__cleat_complete "${___source[@]}"}'
        '--action[The event'\''s action.]:action:'
        '--subject[The event'\''s subject.]:subject:'
        '*--property[A property of the event; may be repeated.]:name=value:'
        ':name:'
        '--force[Run it also where it does not match.]'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file() {
    local -i ret=1
    local -ar arg_specs=(
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
        '(-): :->command'
        '(-)*:: :->arg'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0
    case "${state}" in
    command)
        local -ar subcommands=(
            'ls:List a directory of the board.'
            'stat:Say what stands at a place of the board.'
            'get:Fetch a file of the board.'
            'put:Send files to the board.'
            'cat:Print files of the board.'
            'rm:Remove files and directories of the board.'
            'mv:Move a file or a directory of the board, to another area too.'
            'cp:Copy a file of the board, to another area too.'
            'mkdir:Make a directory on the board.'
            'df:Say what the areas hold and may hold.'
            'uploads:List the files that are on their way to the board.'
            'abort:Give up files that are on their way to the board.'
        )
        _describe -V subcommand subcommands && ret=0
        ;;
    arg)
        case "${words[1]}" in
        ls|stat|get|put|cat|rm|mv|cp|mkdir|df|uploads|abort)
            "_cleat_file_${words[1]}" && ret=0
            ;;
        esac
        ;;
    esac

    return "${ret}"
}

_cleat_file_ls() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--recursive -r)'{--recursive,-r}'[List what stands below, too.]'
        ':area/path:{__cleat_custom_complete ---completion file ls -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_stat() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--sha256[Have the board compute the file'\''s SHA-256, too.]'
        ':area/path:{__cleat_custom_complete ---completion file stat -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_get() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--recursive -r)'{--recursive,-r}'[Fetch a directory with all that it holds.]'
        ':area/path:{__cleat_custom_complete ---completion file get -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        ':file:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_put() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--recursive -r)'{--recursive,-r}'[Send directories with all that they hold.]'
        '--id[Name what is sent, so that it can be gone on with; made of the file where nothing is said.]:id:'
        '--mode[The permissions of the file on the board, in octal digits.]:mode:'
        '*:file:{__cleat_custom_complete ---completion file put -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_cat() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '*:area/path:{__cleat_custom_complete ---completion file cat -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_rm() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--recursive -r)'{--recursive,-r}'[Remove directories with all that they hold.]'
        '*:area/path:{__cleat_custom_complete ---completion file rm -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_mv() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--no-replace[Leave alone what stands at the new place.]'
        ':area/path:{__cleat_custom_complete ---completion file mv -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        ':new-area/path:{__cleat_custom_complete ---completion file mv -- positional@1 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_cp() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--no-replace[Leave alone what stands at the new place.]'
        ':area/path:{__cleat_custom_complete ---completion file cp -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        ':new-area/path:{__cleat_custom_complete ---completion file cp -- positional@1 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_mkdir() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '(--parents -p)'{--parents,-p}'[Make those above it, too; one that is there already is no error.]'
        ':area/path:{__cleat_custom_complete ---completion file mkdir -- positional@0 "${current_word_index}" "$(__cleat_cursor_index_in_current_word)"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_df() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_uploads() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_file_abort() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--user[Whose they are; only root and the service'\''s own user give up those of others.]:uid:'
        '*:ids:'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_schema() {
    local -i ret=1
    local -ar arg_specs=(
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
        '(-): :->command'
        '(-)*:: :->arg'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0
    case "${state}" in
    command)
        local -ar subcommands=(
            'validate:Check documents against a JSON Schema, without a service.'
            'check:Say whether files are schemas of settings that the service would take.'
            'export:Print the schema of all settings as one JSON Schema.'
        )
        _describe -V subcommand subcommands && ret=0
        ;;
    arg)
        case "${words[1]}" in
        validate|check|export)
            "_cleat_schema_${words[1]}" && ret=0
            ;;
        esac
        ;;
    esac

    return "${ret}"
}

_cleat_schema_validate() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--assert-format[Refuse texts that have not the format that the schema asks for.]'
        '--stdin-lines[Judge one schema and document a line of standard input.]'
        '*:schema-and-files:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_schema_check() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '*:file:_files'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_schema_export() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--builtin[Print what Cleat has by itself; no service is asked.]'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_status() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--counters[Show also what was counted since the start\: events, hooks, losses.]'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_doctor() {
    local -i ret=1
    local -ar ___output=('text' 'json' 'json-lines')
    local -ar arg_specs=(
        '(-H --host)'{-H,--host}'[Speak to a far board over SSH.]:\[user@\]host\[\:port\]:'
        '(-P --port)'{-P,--port}'[The port of the far board'\''s SSH server.]:port:'
        '--ssh[The SSH program, with arguments if need be (also\: CLEAT_SSH).]:program:'
        '--remote-command[What SSH starts on the far board.]:command:'
        '--socket[The socket of the service (also\: CLEAT_SOCKET).]:path:_files'
        '--root[Configure the system below a directory\: by the service that serves it, else by one of this command'\''s own.]:directory:_files -/'
        '--output[The form of the output\: text, json or json-lines.]:form:{__cleat_complete "${___output[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_completions() {
    local -i ret=1
    local -ar _shell=('bash' 'zsh' 'fish')
    local -ar arg_specs=(
        ':shell:{__cleat_complete "${_shell[@]}"}'
        '--version[Show the version.]'
        '(-h --help)'{-h,--help}'[Show help information.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

_cleat_help() {
    local -i ret=1
    local -ar arg_specs=(
        '*:subcommands:'
        '--version[Show the version.]'
    )
    _arguments -w -s -S : "${arg_specs[@]}" && ret=0

    return "${ret}"
}

if [[ "${funcstack[1]}" = _cleat ]]; then
    _cleat "${@}"
else
    compdef _cleat cleat
fi
