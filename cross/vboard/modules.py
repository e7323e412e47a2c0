"""The kernel modules of a board, in the order in which they load."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import BoardError

ROOT = ["virtio_pci", "virtio_console", "virtio_blk", "crc32c_generic", "ext4"]
"""The modules that a board needs before it can mount its root file system."""

BOARD = ROOT + """
    virtio_net virtio_rng xhci_pci loop overlay dummy veth bridge bonding tun 8021q vcan
    usb_storage sd_mod ftdi_sio cdc_acm cdc_ether cdc_ncm rndis_host usbhid hid_generic evdev
    dm_mod dm_flakey""".split()
"""The modules for the tests; the generic kernel has nearly everything as modules."""

MORE = """
    autofs4 configfs e1000e uas usb_serial_simple pl2303 cp210x ch341 vfat nls_cp437 nls_ascii isofs squashfs fuse
    macvlan ipvlan i6300esb dummy_hcd libcomposite usb_f_mass_storage usb_f_acm usb_f_serial usb_f_ecm usb_f_hid
    qemu_fw_cfg""".split()
"""The further modules of the Debian image, for udevd or a person to load."""


def in_order(tree: Path, names: list[str]) -> list[Path]:
    """Returns the files of the modules and of all that they need, each after what it needs.

    The dependencies are read from the modules themselves: a package has no `modules.dep` before it is installed.
    """
    files = {path.stem.replace("-", "_"): path for path in sorted(tree.rglob("*.ko"))}
    built_in = {Path(line).stem.replace("-", "_") for file in tree.glob("modules.builtin")
                for line in file.read_text().splitlines()}
    result: dict[str, Path] = {}

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name in result or name in built_in:
            return
        if name not in files:
            raise BoardError(f"the kernel has no module {name}", remedy="see cross/vboard/modules.py")
        match = re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes())
        for needed in match.group(1).decode().split(",") if match else []:
            if needed:
                add(needed)
        result[name] = files[name]

    for name in names:
        add(name)
    return list(result.values())
