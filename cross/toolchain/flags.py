"""The compiler's and the linker's flags for binaries that go onto a board; the one place for them."""

from __future__ import annotations

from pathlib import Path

#: The functions in the order in which programs first run them, a name a line, as `cross/order` has traced it. The linker
#: leaves out names that a program does not have.
ORDER = Path(__file__).parent / "order.txt"

#: Swift threads have 128 KiB of stack under musl; the main thread's figure is what they are made with.
STACK = 1 << 20

#: SwiftPM's own words for optimising at link time, and the architecture that is optimised so. Modules and C libraries
#: are compiled to bitcode, and the linker makes one program's code of all of them, on one processor, for twice the time
#: of a build: 7 % less code for aarch64. For x86_64 it is 2 % (SIZES.md), which is not worth that time; nor is it for
#: binaries of tests, whose size does not matter.
LTO = ["--experimental-lto-mode", "full"]
AT_LINK_TIME = ("aarch64",)


#: The compiler declares these in an order that changes from run to run. Named to the linker before all else, they stand
#: in one order among the symbols, from which the build id is made too.
COUNTED = ("swift_retain_n", "swift_release_n", "swift_bridgeObjectRetain_n", "swift_bridgeObjectRelease_n")


def swift_size() -> list[str]:
    """Returns swiftc's flags for size. The last keeps the names of cached C modules, which depend on the directory
    that was built in, out of the debug information."""
    return ["-Osize", "-Xfrontend", "-function-sections", "-Xfrontend", "-no-clang-module-breadcrumbs"]


def c_size() -> list[str]:
    """Returns clang's flags for size."""
    return ["-Oz", "-ffunction-sections", "-fdata-sections", "-fno-omit-frame-pointer"]


def link_size() -> list[str]:
    """Returns the linker's flags for size, and those that make two builds the same."""
    named = [word for name in COUNTED for word in ("-u", name)]
    return ["--symbol-ordering-file", str(ORDER), "--no-warn-symbol-ordering", "--gc-sections", "--icf=all", "-O2", "--build-id=sha1", "-z", f"stack-size={STACK}", *named]


def prefix_maps(maps: dict[str, str]) -> tuple[list[str], list[str]]:
    """Returns the flags, of swiftc and of clang, that keep directories of this machine out of the binaries."""
    swift = [word for old, new in maps.items() for word in ("-file-prefix-map", f"{old}={new}")]
    return swift, [f"-ffile-prefix-map={old}={new}" for old, new in maps.items()]


def swiftpm(swift: list[str], c: list[str], link: list[str]) -> list[str]:
    """Wraps flags for SwiftPM's command line."""
    words: list[str] = []
    for option, flags in (("-Xswiftc", swift), ("-Xcc", c), ("-Xlinker", link)):
        for flag in flags:
            words += [option, flag]
    return words
