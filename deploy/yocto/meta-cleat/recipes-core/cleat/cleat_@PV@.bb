# Installs the static programs of Cleat from the tarball that cross/package makes. Unbuilt: BitBake has not run this recipe.

SUMMARY = "Device configuration agent for embedded Linux boards"
DESCRIPTION = "\
    Cleat keeps the settings of a board: typed, validated and versioned. \
    A change is one transaction: the system follows it as a whole, or it reverts. \
"
HOMEPAGE = "https://cleat.dev"
SECTION = "base"
# Of Cleat, and of the libraries that are linked into its programs. The file copyright names each.
LICENSE = "Apache-2.0 & Apache-2.0-with-LLVM-exception & MIT & PD"
LIC_FILES_CHKSUM = "\
    file://${CLEAT_TREE}/LICENSE;md5=@LICENSE_MD5@ \
    file://${CLEAT_TREE}/root/usr/share/doc/cleat/copyright;md5=@COPYRIGHT_MD5@ \
"

CLEAT_SITE ?= "@SITE@"
CLEAT_TREE = "cleat-@VERSION@-linux-${TARGET_ARCH}"

# The directory of the default S, whether the release unpacks into WORKDIR or UNPACKDIR.
SRC_URI = "${CLEAT_SITE}/${CLEAT_TREE}.tar.xz;name=${TARGET_ARCH};subdir=${BP}"
@CHECKSUMS@

inherit systemd update-rc.d useradd bash-completion

# Nothing of the build is linked, so any C library of these architectures will do.
COMPATIBLE_HOST = "(@ARCHITECTURES@)-.*-linux(-musl)?$"

# Members of the group cleat may change settings; the user is that of cleat-location.service.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system cleat"
USERADD_PARAM:${PN} = "\
    --system --user-group --groups cleat,dialout --no-create-home --home-dir / \
    --shell ${base_sbindir}/nologin --comment 'Location of the board for Cleat' cleat-location \
"

# cleat-location.service and cleatd-retry.timer are installed and not enabled.
SYSTEMD_SERVICE:${PN} = "cleatd.service"

# After populate-volatile.sh (37) and hostname.sh (39), and before the network, which is in runlevels 2 to 5.
INITSCRIPT_NAME = "cleatd"
INITSCRIPT_PARAMS = "start 40 S . stop 60 0 6 ."

do_configure[noexec] = "1"
do_compile[noexec] = "1"

do_install() {
    tree=${S}/${CLEAT_TREE}
    cp -R "$tree/root/." ${D}/
    if ${@bb.utils.contains('DISTRO_FEATURES', 'systemd', 'true', 'false', d)}; then
        install -d ${D}${systemd_system_unitdir} ${D}${systemd_unitdir}/system-preset ${D}${nonarch_libdir}/sysusers.d
        install -m 0644 "$tree"/init/systemd/usr/lib/systemd/system/* ${D}${systemd_system_unitdir}/
        install -m 0644 "$tree"/init/systemd/usr/lib/systemd/system-preset/* ${D}${systemd_unitdir}/system-preset/
        install -m 0644 "$tree/init/systemd/usr/lib/sysusers.d/cleat.conf" ${D}${nonarch_libdir}/sysusers.d/
    fi
    if ${@bb.utils.contains('DISTRO_FEATURES', 'sysvinit', 'true', 'false', d)}; then
        install -d ${D}${sysconfdir}/init.d
        install -m 0755 "$tree/init/busybox/etc/init.d/S15cleatd" ${D}${sysconfdir}/init.d/cleatd
    fi
}

FILES:${PN} += "\
    ${systemd_system_unitdir} \
    ${systemd_unitdir}/system-preset \
    ${nonarch_libdir}/sysusers.d \
    ${datadir}/fish \
    ${datadir}/zsh \
"

# The programs are stripped already: there is nothing to strip, and no debug information to split off. With both, the check
# already-stripped does not run.
INHIBIT_PACKAGE_STRIP = "1"
INHIBIT_PACKAGE_DEBUG_SPLIT = "1"
INHIBIT_SYSROOT_STRIP = "1"
