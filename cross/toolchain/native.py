"""The flags of a static build for this machine itself, against glibc: the same as a board's, where they fit."""

from __future__ import annotations

from . import flags
from .cache import cache_directory, made_once, text_digest
from .compiler import Compiler
from .replacements import Replacements, compile_replacements, recipe


def native_flags(compiler: Compiler) -> list[str]:
    """Returns SwiftPM's flags for a static, small build against this machine's C library."""
    target = cache_directory() / "native" / text_digest(compiler.tag, recipe())
    made_once(target, lambda work: compile_replacements(
        compiler, [compiler.tool("clang")], [str(compiler.bin / "swiftc"), "-static-stdlib"], work))
    replacements = Replacements(target, musl=False)
    return [
        "--static-swift-stdlib", "--disable-default-traits",
        *flags.swiftpm(
            ["-static-executable", "-use-ld=lld", *flags.swift_size(), *replacements.swift_flags], flags.c_size(),
            [*flags.link_size(), *replacements.link_flags])]
