################################################################################
#
# cleat
#
################################################################################

# Installs the static programs of Cleat from the tarball that cross/package makes. Unbuilt: Buildroot has not run this package.

CLEAT_VERSION = @VERSION@
CLEAT_SITE = @SITE@
CLEAT_SOURCE = cleat-$(CLEAT_VERSION)-linux-$(ARCH).tar.xz
# Of Cleat, and of the libraries that are linked into its programs. The file copyright names each.
CLEAT_LICENSE = Apache-2.0, Apache-2.0 with exceptions (Swift, LLVM), MIT (musl), Public Domain (SQLite)
CLEAT_LICENSE_FILES = LICENSE root/usr/share/doc/cleat/copyright

define CLEAT_INSTALL_TARGET_CMDS
	cp -R $(@D)/root/. $(TARGET_DIR)/
endef

define CLEAT_INSTALL_INIT_SYSTEMD
	cp -R $(@D)/init/systemd/. $(TARGET_DIR)/
endef

define CLEAT_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(@D)/init/busybox/etc/init.d/S15cleatd $(TARGET_DIR)/etc/init.d/S15cleatd
endef

define CLEAT_INSTALL_INIT_OPENRC
	$(INSTALL) -D -m 0755 $(@D)/init/openrc/etc/init.d/cleatd $(TARGET_DIR)/etc/init.d/cleatd
	mkdir -p $(TARGET_DIR)/etc/runlevels/boot
	ln -sf /etc/init.d/cleatd $(TARGET_DIR)/etc/runlevels/boot/cleatd
endef

# Members of the group cleat may change settings; the user is that of cleat-location.service.
define CLEAT_USERS
	- -1 cleat -1 - - - - Settings of the board
	cleat-location -1 cleat-location -1 * - - cleat,dialout Location of the board for Cleat
endef

$(eval $(generic-package))
