function __cleat_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __cleat_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __cleat_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __cleat_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __cleat_parse_tokens -S
    set -l unparsed_tokens (__cleat_tokens -pc)
    switch $unparsed_tokens[1]
    case 'cleat'
        __cleat_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'get'
            __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
        case 'set'
            __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'expect=' 'id=' 'c/comment=' 'version' 'h/help'
        case 'unset'
            __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'expect=' 'id=' 'c/comment=' 'version' 'h/help'
        case 'list'
            __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'only-set' 'version' 'h/help'
        case 'describe'
            __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'markdown' 'builtin' 'version' 'h/help'
        case 'log'
            __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'n/limit=' 'before=' 'version' 'h/help'
        case 'diff'
            __cleat_parse_subcommand 2 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
        case 'watch'
            __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'no-initial' 'n/count=' 'version' 'h/help'
        case 'events'
            __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'source=+' 'action=' 'subject=' 'properties' 'instance=' 'after=' 'n/count=' 'version' 'h/help'
        case 'devices'
            __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'subsystem=' 'version' 'h/help'
        case 'links'
            __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
        case 'hook'
            __cleat_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
            case 'test'
                __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'source=' 'action=' 'subject=' 'property=+' 'version' 'h/help'
            end
        case 'file'
            __cleat_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'ls'
                __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'r/recursive' 'version' 'h/help'
            case 'stat'
                __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'sha256' 'version' 'h/help'
            case 'get'
                __cleat_parse_subcommand 2 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'r/recursive' 'version' 'h/help'
            case 'put'
                __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'r/recursive' 'id=' 'mode=' 'version' 'h/help'
            case 'cat'
                __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
            case 'rm'
                __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'r/recursive' 'version' 'h/help'
            case 'mv'
                __cleat_parse_subcommand 2 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'no-replace' 'version' 'h/help'
            case 'cp'
                __cleat_parse_subcommand 2 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'no-replace' 'version' 'h/help'
            case 'mkdir'
                __cleat_parse_subcommand 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'p/parents' 'version' 'h/help'
            case 'df'
                __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
            case 'uploads'
                __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
            case 'abort'
                __cleat_parse_subcommand -r 1 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
            end
        case 'schema'
            __cleat_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'validate'
                __cleat_parse_subcommand -r 1 'output=' 'assert-format' 'stdin-lines' 'version' 'h/help'
            case 'check'
                __cleat_parse_subcommand -r 1 'output=' 'version' 'h/help'
            case 'export'
                __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'builtin' 'version' 'h/help'
            end
        case 'status'
            __cleat_parse_subcommand 0 'H/host=' 'P/port=' 'ssh=' 'remote-command=' 'socket=' 'output=' 'version' 'h/help'
        case 'completions'
            __cleat_parse_subcommand 1 'version' 'h/help'
        case 'help'
            __cleat_parse_subcommand -r 1 'version'
        end
    end
end

function __cleat_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __cleat_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __cleat_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __cleat_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__cleat_tokens -p)
    if test -z "$(__cleat_tokens -t)"
        set -l index (count (__cleat_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'cleat' -f
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'get' -d 'Print what a setting holds.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'set' -d 'Change settings, all of them or none.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'unset' -d 'Go back to the defaults.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'list' -d 'List settings with their values and where these come from.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'describe' -d 'Say which settings there are and what they may hold.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'log' -d 'Show who changed what, the newest first.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'diff' -d 'Show what differs between two generations.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'watch' -d 'Follow settings as they change.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'events' -d 'Follow what happens on the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'devices' -d 'List the devices of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'links' -d 'List the network links of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'hook' -d 'Look at hooks and try them.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'file' -d 'Look at, send, fetch and change the files of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'schema' -d 'Check documents and schemas, and print the schema in force.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'status' -d 'Say how the service is.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'completions' -d 'Print a completion script for a shell.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat get" -eq 1' -fka '(__cleat_custom_completion ---completion get -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" expect' -l 'expect' -d 'Refuse the change unless the settings are still of this generation.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" id' -l 'id' -d 'Name the transaction, so that it can be repeated safely.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" c comment' -l 'comment' -s 'c' -d 'Say why; it stands in the log.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat set" -ge 1' -fka '(__cleat_custom_completion ---completion set -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat set" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" expect' -l 'expect' -d 'Refuse the change unless the settings are still of this generation.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" id' -l 'id' -d 'Name the transaction, so that it can be repeated safely.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" c comment' -l 'comment' -s 'c' -d 'Say why; it stands in the log.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat unset" -ge 1' -fka '(__cleat_custom_completion ---completion unset -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat unset" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" only-set' -l 'only-set' -d 'Leave out what is only a default.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat list" -eq 1' -fka '(__cleat_custom_completion ---completion list -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" markdown' -l 'markdown' -d 'Print a page in Markdown.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" builtin' -l 'builtin' -d 'Describe what Cleat has by itself; no service is asked.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat describe" -eq 1' -fka '(__cleat_custom_completion ---completion describe -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat describe" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" limit n' -s 'n' -l 'limit' -d 'How many generations are shown.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" before' -l 'before' -d 'Show only generations below this one.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat log" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat diff" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" no-initial' -l 'no-initial' -d 'Leave out the present values.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" count n' -s 'n' -l 'count' -d 'End after this number of commits.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat watch" -ge 1' -fka '(__cleat_custom_completion ---completion watch -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat watch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events"' -l 'source' -d 'Only events of this source; may be repeated.' -rfka 'device link power file setting agent'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" action' -l 'action' -d 'Only actions that match this pattern.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" subject' -l 'subject' -d 'Only subjects that match this pattern.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" properties' -l 'properties' -d 'Show the properties of each event.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" instance' -l 'instance' -d 'The run of the service that --after belongs to.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" after' -l 'after' -d 'Go on after this event.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" count n' -s 'n' -l 'count' -d 'End after this number of events.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat events" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" subsystem' -l 'subsystem' -d 'Only devices of this subsystem.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat devices" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat links" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat hook" -eq 1' -fa 'list' -d 'List the hooks, how they fared, and which files are not in force.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat hook" -eq 1' -fa 'test' -d 'Run a hook now on a made-up event.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" source' -l 'source' -d 'The event\'s source.' -rfka 'device link power file setting agent'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" action' -l 'action' -d 'The event\'s action.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" subject' -l 'subject' -d 'The event\'s subject.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test"' -l 'property' -d 'A property of the event; may be repeated.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat hook test" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'ls' -d 'List what stands in a directory of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'stat' -d 'Say what stands at a place of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'get' -d 'Fetch a file of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'put' -d 'Send files to the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'cat' -d 'Print files of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'rm' -d 'Remove files and directories of the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'mv' -d 'Move a file or a directory of the board, to another area too.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'cp' -d 'Copy a file of the board, to another area too.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'mkdir' -d 'Make a directory on the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'df' -d 'Say what the areas hold and may hold.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'uploads' -d 'List the files that are on their way to the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file" -eq 1' -fa 'abort' -d 'Give up files that are on their way to the board.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" r recursive' -l 'recursive' -s 'r' -d 'List what stands below, too.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file ls" -eq 1' -fka '(__cleat_custom_completion ---completion file ls -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file ls" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" sha256' -l 'sha256' -d 'Have the board compute the file\'s SHA-256, too.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file stat" -eq 1' -fka '(__cleat_custom_completion ---completion file stat -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file stat" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" r recursive' -l 'recursive' -s 'r' -d 'Fetch a directory with all that it holds.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file get" -eq 1' -fka '(__cleat_custom_completion ---completion file get -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file get" -eq 2' -F
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" r recursive' -l 'recursive' -s 'r' -d 'Send directories with all that they hold.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" id' -l 'id' -d 'Name what is sent, so that it can be gone on with; made of the file where nothing is said.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" mode' -l 'mode' -d 'The permissions of the file on the board, in octal digits.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file put" -ge 1' -fka '(__cleat_custom_completion ---completion file put -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file put" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file cat" -ge 1' -fka '(__cleat_custom_completion ---completion file cat -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cat" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" r recursive' -l 'recursive' -s 'r' -d 'Remove directories with all that they hold.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file rm" -ge 1' -fka '(__cleat_custom_completion ---completion file rm -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file rm" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" no-replace' -l 'no-replace' -d 'Leave alone what stands at the new place.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file mv" -eq 1' -fka '(__cleat_custom_completion ---completion file mv -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file mv" -eq 2' -fka '(__cleat_custom_completion ---completion file mv -- positional@1 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mv" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" no-replace' -l 'no-replace' -d 'Leave alone what stands at the new place.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file cp" -eq 1' -fka '(__cleat_custom_completion ---completion file cp -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file cp" -eq 2' -fka '(__cleat_custom_completion ---completion file cp -- positional@1 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file cp" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" p parents' -l 'parents' -s 'p' -d 'Make those above it, too; one that is there already is no error.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat file mkdir" -eq 1' -fka '(__cleat_custom_completion ---completion file mkdir -- positional@0 (count (__cleat_tokens -pc)) (__cleat_tokens -tC))'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file mkdir" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file df" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file uploads" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat file abort" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat schema" -eq 1' -fa 'validate' -d 'Check documents against a JSON Schema, without a service.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat schema" -eq 1' -fa 'check' -d 'Say whether files are schemas of settings that the service would take.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat schema" -eq 1' -fa 'export' -d 'Print the schema of all settings as one JSON Schema.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema validate" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema validate" assert-format' -l 'assert-format' -d 'Refuse texts that have not the format that the schema asks for.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema validate" stdin-lines' -l 'stdin-lines' -d 'Judge one schema and document a line of standard input.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat schema validate" -ge 1' -F
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema validate" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema validate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema check" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat schema check" -ge 1' -F
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema check" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema check" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" builtin' -l 'builtin' -d 'Print what Cleat has by itself; no service is asked.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat schema export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" H host' -s 'H' -l 'host' -d 'Speak to a far board over SSH.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" P port' -s 'P' -l 'port' -d 'The port of the far board\'s SSH server.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" ssh' -l 'ssh' -d 'The SSH program, with arguments if need be (also: CLEAT_SSH).' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" remote-command' -l 'remote-command' -d 'What SSH starts on the far board.' -rfka ''
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" socket' -l 'socket' -d 'The socket of the service (also: CLEAT_SOCKET).' -rF
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" output' -l 'output' -d 'The form of the output: text, json or json-lines.' -rfka 'text json json-lines'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_positional "cleat completions" -eq 1' -fka 'bash zsh fish'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat completions" version' -l 'version' -d 'Show the version.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat completions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'cleat' -n '__cleat_should_offer_completions_for_flags_or_options "cleat help" version' -l 'version' -d 'Show the version.'
