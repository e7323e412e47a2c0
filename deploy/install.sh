#!/bin/sh
# Installs Cleat from the unpacked tarball, or removes it. Runs with BusyBox's ash, and needs no package manager.
set -eu
umask 022

VERSION=@VERSION@
ARCHITECTURE=@ARCHITECTURE@
# The list of the installed files, each with a slash at its start.
MANIFEST=/usr/share/cleat/installed-files
# The directories of the system that it has made, and removes if they are empty.
DIRECTORIES=/usr/share/cleat/made-directories
SHARED='/usr/share/doc /usr/share/man /usr/share'
PURGED='/var/lib/cleat /etc/cleat /run/cleat'

usage() {
	cat <<'EOF'
usage: install.sh [--root DIR] [--init KIND] [--no-start]
       install.sh --uninstall [--purge] [--root DIR]

  --root DIR    install into the root file system below DIR; nothing is started
  --init KIND   systemd, openrc, busybox or none; default: the init system that is there
  --no-start    do not start the agent
  --uninstall   remove what was installed; settings and configuration stay
  --purge       with --uninstall: remove /var/lib/cleat, /etc/cleat and /run/cleat, too
EOF
}

fail() {
	echo "install.sh: error: $1" >&2
	exit 1
}

say() {
	echo "install.sh: $1"
}

has() {
	command -v "$1" >/dev/null 2>&1
}

# Prints the init system of the target.
find_init() {
	if [ -z "$root" ] && [ -d /run/systemd/system ]; then
		echo systemd
	elif [ -x "$root/sbin/procd" ]; then
		echo procd
	elif [ -z "$root" ] && [ -d /run/openrc ]; then
		echo openrc
	elif [ -x "$root/usr/lib/systemd/systemd" ] || [ -x "$root/lib/systemd/systemd" ]; then
		echo systemd
	elif [ -x "$root/sbin/openrc-run" ] || [ -x "$root/usr/sbin/openrc-run" ]; then
		echo openrc
	elif [ -d "$root/etc/init.d" ] && { [ -e "$root/bin/busybox" ] || [ -e "$root/usr/bin/busybox" ]; }; then
		echo busybox
	fi
}

# Prints the files of a directory of the tarball, each with a slash at its start, sorted.
files_below() {
	(cd "$here/$1" && find . -type f | sed 's/^\.//' | LC_ALL=C sort)
}

# Fails unless a path is below the root, also where the root's directories are symbolic links.
check_inside() {
	case $1/ in
	*/../* | [!/]*) fail "$1 is not a path below ${root:-/}; nothing was changed" ;;
	esac
	[ -n "$root" ] || return 0
	directory=${1%/*}
	until [ -d "$root$directory" ] || [ -L "$root$directory" ]; do
		directory=${directory%/*}
	done
	real=$(cd -P "$root$directory" 2>/dev/null && pwd -P) ||
		fail "$root$directory is a symbolic link to no directory on this machine; nothing was changed"
	case $real/ in
	"$root"/*) ;;
	*) fail "$root$directory is $real, which is not below $root; nothing was changed" ;;
	esac
}

# Prints the path of the target's group or gshadow, which may be a symbolic link.
find_table() {
	if [ ! -L "$root/etc/$1" ]; then
		echo "/etc/$1"
		return
	fi
	real=$(readlink -f "$root/etc/$1") || fail "$root/etc/$1 is a symbolic link to no file; nothing was changed"
	case $real in
	"$root"/*) echo "${real#"$root"}" ;;
	*) fail "$root/etc/$1 is $real, which is not below $root; nothing was changed" ;;
	esac
}

# Makes the directories above a path of the target, and notes those that other programs may use later.
make_parents() {
	if [ -d "$root${1%/*}" ]; then
		return
	fi
	for directory in $SHARED; do
		case $1 in
		"$directory"/*) [ -d "$root$directory" ] || made="$made $directory" ;;
		esac
	done
	mkdir -p "$root${1%/*}"
}

# Succeeds if the target's group, gshadow or passwd has a name.
is_known() {
	grep -q "^$2:" "$root/etc/$1" 2>/dev/null
}

# Writes a table of the target with one line more, next to its place, with its owner and mode.
stage_line() {
	staged="$staged $1"
	rm -f "$root$1.cleat-new"
	cp -p "$root$1" "$root$1.cleat-new"
	{
		cat "$root$1"
		[ -z "$(tail -c 1 "$root$1")" ] || echo
		echo "$2"
	} >"$root$1.cleat-new"
}

make_group() {
	if [ -z "$root" ] && [ "$init" = systemd ] && has systemd-sysusers; then
		systemd-sysusers cleat.conf
	fi
	is_known group cleat && return
	if [ -z "$root" ] && has groupadd; then
		groupadd --system cleat
	elif [ -z "$root" ] && has addgroup; then
		# BusyBox has the short option only, Debian the long one.
		addgroup -S cleat 2>/dev/null || addgroup --system cleat >/dev/null
	else
		# Another root file system, or a BusyBox without these programs.
		number=999
		while grep -q "^[^:]*:[^:]*:$number:" "$root/etc/group"; do
			number=$((number - 1))
		done
		tables=$(find_table group)
		stage_line "$tables" "cleat:x:$number:"
		if [ -e "$root/etc/gshadow" ] && ! is_known gshadow cleat; then
			table=$(find_table gshadow)
			stage_line "$table" 'cleat:!::'
			tables="$table $tables"
		fi
		for table in $tables; do
			mv -f "$root$table.cleat-new" "$root$table"
		done
	fi
	say "made the group cleat"
}

# Removes the new files of an installation that did not finish; before the first file is replaced nothing else changed.
discard() {
	if [ -n "$staged" ]; then
		for path in $staged "$MANIFEST"; do
			rm -f "$root$path.cleat-new" || true
		done
		if [ "$replacing" = yes ]; then
			echo "install.sh: error: not all files were replaced; run it again, or remove them: install.sh --uninstall" >&2
		else
			echo "install.sh: error: nothing was installed" >&2
		fi
	fi
	staged=
}

check_source() {
	for path in root init install.sh; do
		[ -e "$here/$path" ] || fail "$here/$path is missing; unpack the whole tarball again"
	done
	for path in /usr/bin/cleatd /usr/bin/cleat /usr/bin/cleat-location; do
		[ -s "$here/root$path" ] || fail "$here/root$path is missing; unpack the whole tarball again"
	done
	if [ -z "$root" ]; then
		machine=$(uname -m)
		[ "$machine" = "$ARCHITECTURE" ] || fail "these programs are for $ARCHITECTURE, this machine is $machine"
		"$here/root/usr/bin/cleatd" --version >/dev/null || fail "$here/root/usr/bin/cleatd does not run on this machine"
	fi
}

# Fails if dpkg owns the files. It keeps cleat.list after a removal, but not the checksums.
check_dpkg() {
	if [ -e "$root/var/lib/dpkg/info/cleat.md5sums" ]; then
		fail "the Debian package cleat is installed there; upgrade or remove it with dpkg or apt"
	fi
}

check_target() {
	[ -f "$root/etc/group" ] || fail "$root/etc/group is missing; ${root:-/} is not a root file system"
	[ -w "$root/etc" ] || fail "$root/etc is not writable; run it as root"
	check_dpkg
	if [ -z "$root" ]; then
		[ "$(id -u)" = 0 ] || fail "only root can install programs; run it as root, or give --root DIR"
	fi
}

# Succeeds if an installation that has finished lists a path.
is_settled() {
	case " $settled " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# Copies one file of the tarball next to its place. A script in /etc/init.d that the administrator has removed since the
# last installation stays removed, and one that is there keeps its mode.
stage() {
	keeping=no
	case $2 in
	/etc/init.d/*)
		if is_settled "$2"; then
			keeping=yes
		fi
		;;
	esac
	if [ "$keeping" = yes ] && [ ! -e "$root$2" ]; then
		kept="$kept $2"
		return
	fi
	make_parents "$2"
	staged="$staged $2"
	rm -f "$root$2.cleat-new"
	if [ "$keeping" = yes ] && [ ! -L "$root$2" ]; then
		cp -p "$root$2" "$root$2.cleat-new"
		cat "$here/$1$2" >"$root$2.cleat-new"
		return
	fi
	cp "$here/$1$2" "$root$2.cleat-new"
	if [ -x "$here/$1$2" ]; then
		chmod 755 "$root$2.cleat-new"
	else
		chmod 644 "$root$2.cleat-new"
	fi
}

# Prints OpenRC's runlevel for the service. Debian's scripts mount file systems and start the network in the first one, and
# they have other names than OpenRC's own.
openrc_level() {
	if [ -e "$root/etc/init.d/mountall.sh" ] && [ ! -e "$root/etc/init.d/localmount" ]; then
		echo sysinit
	else
		echo boot
	fi
}

# Prints the link that enables the service, and its target.
service_link() {
	case $init in
	systemd) echo /etc/systemd/system/sysinit.target.wants/cleatd.service /usr/lib/systemd/system/cleatd.service ;;
	openrc) echo "/etc/runlevels/$(openrc_level)/cleatd" /etc/init.d/cleatd ;;
	esac
}

# Makes the link. One that the administrator has removed since the last installation stays removed.
enable_service() {
	read -r place target <<EOF
$(service_link)
EOF
	if [ -z "$place" ] || [ -L "$root$place" ] || is_settled "$place"; then
		return
	fi
	make_parents "$place"
	ln -sf "$target" "$root$place"
}

# Succeeds if the service starts when the machine does.
is_enabled() {
	case $init in
	systemd) systemctl --quiet is-enabled cleatd.service 2>/dev/null ;;
	openrc)
		[ -x /etc/init.d/cleatd ] || return 1
		for place in /etc/runlevels/*/cleatd; do
			[ ! -L "$place" ] || return 0
		done
		return 1
		;;
	busybox) [ -x /etc/init.d/S15cleatd ] ;;
	esac
}

start() {
	case $init in
	systemd) systemctl restart cleatd.service ;;
	openrc) rc-service cleatd restart ;;
	busybox) /etc/init.d/S15cleatd restart ;;
	esac
}

# Reverts a change that is on trial: without the agent nothing would revert it. An agent that hangs is not waited for.
abort_trial() {
	limit=
	! has timeout || limit='timeout 120'
	status=0
	$limit cleat abort >/dev/null 2>&1 || status=$?
	case $status in
	0) say "the change on trial was reverted" ;;
	11) echo "install.sh: error: the change on trial could not be reverted as a whole" >&2 ;;
	124 | 137 | 143) echo "install.sh: error: the agent did not answer; a change on trial stays in force" >&2 ;;
	esac
}

stop() {
	if [ -e "$root/usr/lib/systemd/system/cleatd.service" ] && [ -d /run/systemd/system ]; then
		systemctl stop cleat-location.service cleatd.service || true
	elif [ -e /etc/init.d/cleatd ] && has rc-service; then
		rc-service cleatd stop || true
	elif [ -e /etc/init.d/S15cleatd ]; then
		# It may not be executable.
		sh /etc/init.d/S15cleatd stop || true
	fi
}

install_files() {
	check_source
	check_target
	if [ -z "$init" ]; then
		init=$(find_init)
		[ -n "$init" ] ||
			fail "no systemd, OpenRC or BusyBox init was found in ${root:-/}; choose: --init systemd|openrc|busybox|none"
		[ "$init" != procd ] ||
			fail "${root:-/} has procd, which this script does not install for; use --init none, then copy init/procd/etc/init.d/cleatd"
	fi
	former=
	[ ! -f "$root$MANIFEST" ] || former=$(tr '\n' ' ' <"$root$MANIFEST")
	# A list ends with itself. If an installation was interrupted, the new paths are after that.
	case " $former" in
	*" $MANIFEST "*) settled=${former%%"$MANIFEST "*} ;;
	esac
	links=$(service_link)
	links=${links%% *}
	shared=$(files_below root)
	services=
	[ "$init" = none ] || services=$(files_below "init/$init")
	for path in $shared $services $links $former "$MANIFEST" /etc/group; do
		check_inside "$path"
	done
	# A file cannot replace a directory, and would be moved into it.
	for path in $shared $services "$MANIFEST"; do
		[ ! -d "$root$path" ] || fail "$root$path is a directory; nothing was changed"
	done
	if [ -n "$root" ]; then
		find_table group >/dev/null
		find_table gshadow >/dev/null
	fi
	trap discard EXIT
	trap 'exit 130' INT TERM HUP
	for path in $shared; do
		stage root "$path"
	done
	for path in $services; do
		stage "init/$init" "$path"
	done
	installed=$staged
	make_parents "$MANIFEST"
	rm -f "$root$MANIFEST.cleat-new"
	{
		for path in $former $installed; do
			echo "$path"
		done
	} >"$root$MANIFEST.cleat-new"
	# On the disk before the first one is replaced; BusyBox may lack sync.
	sync || true
	# The list of files comes first, so that an interrupted installation can be removed.
	mv -f "$root$MANIFEST.cleat-new" "$root$MANIFEST"
	replacing=yes
	for path in $installed; do
		mv -f "$root$path.cleat-new" "$root$path"
	done
	make_group
	enable_service
	for path in $made; do
		echo "$path" >>"$root$DIRECTORIES"
	done
	{
		for path in $installed $kept $links; do
			echo "$path"
		done
		[ ! -e "$root$DIRECTORIES" ] || echo "$DIRECTORIES"
		echo "$MANIFEST"
	} >"$root$MANIFEST.cleat-new"
	# Files of an earlier version that this one does not have.
	for path in $former; do
		grep -qxF -e "$path" "$root$MANIFEST.cleat-new" || rm -f "$root$path"
	done
	mv -f "$root$MANIFEST.cleat-new" "$root$MANIFEST"
	staged=
	trap - EXIT
	sync || true
	say "Cleat $VERSION is installed in ${root:-/} (init: $init)"
	if [ -n "$root" ] || [ "$init" = none ]; then
		return
	fi
	if [ "$init" = systemd ] && [ -d /run/systemd/system ]; then
		systemctl daemon-reload || true
	fi
	if [ "$starting" = no ]; then
		return
	fi
	if [ "$init" = systemd ] && [ ! -d /run/systemd/system ]; then
		say "systemd does not run, so the agent was not started"
	elif ! is_enabled; then
		say "the service is disabled, so the agent was not started"
	elif start; then
		say "the agent runs: cleat status"
	else
		fail "the files are installed, but the agent does not start; see the system log"
	fi
}

# Removes the contents of a directory on its own file system, the directory, and the link to it. A mount point stays,
# without contents.
purge() {
	if [ -d "$root$1" ]; then
		real=$(cd -P "$root$1" && pwd -P) || return 1
		case ${real#"$root"}/ in
		/ | // | /bin/ | /boot/ | /dev/ | /etc/ | /home/ | /lib/ | /media/ | /mnt/ | /opt/ | /proc/ | /root/ | /run/ | /sbin/ | \
			/srv/ | /sys/ | /usr/ | /usr/bin/ | /usr/lib/ | /usr/local/ | /usr/share/ | /var/ | /var/lib/)
			echo "install.sh: error: $root$1 is $real, which other programs use; it stays" >&2
			return 1
			;;
		esac
		find "$real" -xdev ! -type d -exec rm -f {} + || true
		# A mount point stays, and so does a directory that is not empty.
		find "$real" -xdev -depth -type d -exec rmdir {} + 2>/dev/null || true
		if [ -d "$real" ] && [ -n "$(find "$real" ! -type d)" ]; then
			echo "install.sh: error: files in $real could not be removed" >&2
			return 1
		fi
	fi
	if [ -L "$root$1" ] || { [ -e "$root$1" ] && [ ! -d "$root$1" ]; }; then
		rm -f "$root$1"
	fi
}

uninstall_files() {
	check_dpkg
	[ -f "$root$MANIFEST" ] || fail "$root$MANIFEST is missing; this script has not installed Cleat there"
	[ -w "$root/usr/share/cleat" ] || fail "$root/usr/share/cleat is not writable; run it as root"
	paths=$(cat "$root$MANIFEST")
	for path in $paths "$MANIFEST"; do
		check_inside "$path"
	done
	if [ "$purging" = yes ]; then
		for path in $PURGED; do
			check_inside "$path"
			check_inside "$path/"
		done
	fi
	made=$(cat "$root$DIRECTORIES" 2>/dev/null || true)
	if [ -z "$root" ]; then
		abort_trial
		stop
	fi
	for path in $paths; do
		[ "$path" = "$MANIFEST" ] || rm -f "$root$path" "$root$path.cleat-new"
	done
	rm -f "$root$MANIFEST"
	# Directories that are Cleat's own, or that are empty now.
	for path in $paths; do
		directory=${path%/*}
		while [ -n "$directory" ]; do
			case $directory in
			/usr | /usr/bin | /usr/lib | /usr/share | /usr/share/doc | /usr/share/man | /etc | /etc/init.d) break ;;
			esac
			rmdir "$root$directory" 2>/dev/null || break
			directory=${directory%/*}
		done
	done
	for directory in $SHARED; do
		for path in $made; do
			[ "$path" != "$directory" ] || rmdir "$root$directory" 2>/dev/null || true
		done
	done
	if [ -z "$root" ] && [ -d /run/systemd/system ]; then
		systemctl daemon-reload || true
	fi
	if [ "$purging" = yes ]; then
		for path in $PURGED; do
			purge "$path" || failed=yes
		done
		[ "$failed" = no ] || fail "Cleat is removed from ${root:-/}, but not all of its settings and configuration"
		say "Cleat, its settings and its configuration are removed from ${root:-/}; the group cleat stays"
	else
		say "Cleat is removed from ${root:-/}; /var/lib/cleat, /etc/cleat and the group cleat stay"
	fi
}

here=$(cd "$(dirname "$0")" && pwd)
root='' init='' starting=yes purging=no action=install staged='' replacing=no settled='' kept='' made='' failed=no
while [ $# -gt 0 ]; do
	case $1 in
	--root)
		[ $# -ge 2 ] || fail "--root needs a directory"
		[ -d "$2" ] || fail "$2 is not a directory"
		root=$(cd -P "$2" && pwd -P)
		[ "$root" != / ] || root=
		shift
		;;
	--init)
		case ${2:-} in
		systemd | openrc | busybox | none) init=$2 ;;
		*) fail "--init needs systemd, openrc, busybox or none" ;;
		esac
		shift
		;;
	--no-start) starting=no ;;
	--uninstall) action=uninstall ;;
	--purge) purging=yes ;;
	--help | -h)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 64
		;;
	esac
	shift
done
[ "$purging" = no ] || [ "$action" = uninstall ] || fail "--purge needs --uninstall"
"${action}_files"
