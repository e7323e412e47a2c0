"""A virtual ARM board under qemu; with `cross/` on the path: `from vboard.board import Board`."""
