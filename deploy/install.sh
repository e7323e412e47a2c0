#!/bin/sh
# Installs Cleat from the unpacked tarball, or removes it. Runs with BusyBox's ash, and needs no package manager.
set -eu
umask 022

VERSION=@VERSION@
ARCHITECTURE=@ARCHITECTURE@
# The list of the installed files, each with a slash at its start.
MANIFEST=/usr/share/cleat/installed-files

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

# Makes the directories above a path of the target.
make_parents() {
	[ -d "$root${1%/*}" ] || mkdir -p "$root${1%/*}"
}

# Succeeds if the target's group or passwd has a name.
is_known() {
	grep -q "^$2:" "$root/etc/$1" 2>/dev/null
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
		number=999
		while grep -q "^[^:]*:[^:]*:$number:" "$root/etc/group"; do
			number=$((number - 1))
		done
		cp -p "$root/etc/group" "$root/etc/.group.cleat-new"
		echo "cleat:x:$number:" >>"$root/etc/.group.cleat-new"
		mv "$root/etc/.group.cleat-new" "$root/etc/group"
		if [ -e "$root/etc/gshadow" ]; then
			echo 'cleat:!::' >>"$root/etc/gshadow"
		fi
	fi
	say "made the group cleat"
}

# Removes the new files of an installation that did not finish; before the first file is replaced nothing else changed.
discard() {
	if [ -n "$staged" ]; then
		for path in $staged; do
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

check_target() {
	[ -f "$root/etc/group" ] || fail "$root/etc/group is missing; ${root:-/} is not a root file system"
	[ -w "$root/etc" ] || fail "$root/etc is not writable; run it as root"
	if [ -e "$root/var/lib/dpkg/info/cleat.list" ]; then
		fail "the Debian package cleat is installed there; upgrade or remove it with dpkg or apt"
	fi
	if [ -z "$root" ]; then
		[ "$(id -u)" = 0 ] || fail "only root can install programs; run it as root, or give --root DIR"
		has groupadd || has addgroup || is_known group cleat ||
			fail "neither groupadd nor addgroup is there; add the group cleat to /etc/group"
	fi
}

# Copies one file of the tarball next to its place.
stage() {
	make_parents "$2"
	staged="$staged $2"
	cp "$here/$1$2" "$root$2.cleat-new"
	if [ -x "$here/$1$2" ]; then
		chmod 755 "$root$2.cleat-new"
	else
		chmod 644 "$root$2.cleat-new"
	fi
}

enable_service() {
	case $init in
	systemd)
		link /usr/lib/systemd/system/cleatd.service /etc/systemd/system/sysinit.target.wants/cleatd.service
		;;
	openrc)
		link /etc/init.d/cleatd /etc/runlevels/boot/cleatd
		;;
	esac
}

# Makes a link at a place, and lists it. One that the administrator has removed since the last installation stays removed.
link() {
	case " $former " in
	*" $2 "*) [ -L "$root$2" ] || return 0 ;;
	esac
	make_parents "$2"
	ln -sf "$1" "$root$2"
	links="$links $2"
}

start() {
	case $init in
	systemd)
		[ -d /run/systemd/system ] || return 0
		systemctl daemon-reload && systemctl restart cleatd.service
		;;
	openrc) rc-service cleatd restart ;;
	busybox) /etc/init.d/S15cleatd restart ;;
	esac
}

stop() {
	if [ -e "$root/usr/lib/systemd/system/cleatd.service" ] && [ -d /run/systemd/system ]; then
		systemctl stop cleat-location.service cleatd.service || true
	elif [ -e /etc/init.d/cleatd ] && has rc-service; then
		rc-service cleatd stop || true
	elif [ -e /etc/init.d/S15cleatd ]; then
		/etc/init.d/S15cleatd stop || true
	fi
}

install_files() {
	check_source
	check_target
	if [ -z "$init" ]; then
		init=$(find_init)
		[ -n "$init" ] ||
			fail "no systemd, OpenRC or BusyBox init was found in ${root:-/}; choose: --init systemd|openrc|busybox|none"
	fi
	former=
	[ ! -f "$root$MANIFEST" ] || former=$(tr '\n' ' ' <"$root$MANIFEST")
	trap discard EXIT
	trap 'exit 130' INT TERM HUP
	for path in $(files_below root); do
		stage root "$path"
	done
	if [ "$init" != none ]; then
		for path in $(files_below "init/$init"); do
			stage "init/$init" "$path"
		done
	fi
	# On the disk before the first one is replaced; BusyBox may lack sync.
	sync || true
	replacing=yes
	installed=$staged
	# The list of files comes first, so that an interrupted installation can be removed.
	make_parents "$MANIFEST"
	{
		for path in $former $installed; do
			echo "$path"
		done
	} >"$root$MANIFEST"
	for path in $installed; do
		mv -f "$root$path.cleat-new" "$root$path"
	done
	make_group
	links=
	enable_service
	{
		for path in $installed $links; do
			echo "$path"
		done
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
	if [ -z "$root" ] && [ "$starting" = yes ] && [ "$init" != none ]; then
		start || fail "the files are installed, but the agent does not start; see the system log"
		say "the agent runs: cleat status"
	fi
}

uninstall_files() {
	[ -f "$root$MANIFEST" ] || fail "$root$MANIFEST is missing; this script has not installed Cleat there"
	[ -w "$root/usr/share/cleat" ] || fail "$root/usr/share/cleat is not writable; run it as root"
	[ -n "$root" ] || stop
	paths=$(cat "$root$MANIFEST")
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
	if [ -z "$root" ] && [ -d /run/systemd/system ]; then
		systemctl daemon-reload || true
	fi
	if [ "$purging" = yes ]; then
		rm -rf "$root/var/lib/cleat" "$root/etc/cleat" "$root/run/cleat"
		say "Cleat, its settings and its configuration are removed from ${root:-/}; the group cleat stays"
	else
		say "Cleat is removed from ${root:-/}; /var/lib/cleat, /etc/cleat and the group cleat stay"
	fi
}

here=$(cd "$(dirname "$0")" && pwd)
root='' init='' starting=yes purging=no action=install staged='' replacing=no
while [ $# -gt 0 ]; do
	case $1 in
	--root)
		[ $# -ge 2 ] || fail "--root needs a directory"
		[ -d "$2" ] || fail "$2 is not a directory"
		root=$(cd "$2" && pwd)
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
