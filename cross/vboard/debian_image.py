"""The Debian image."""

from .errors import BoardError

APPEND = ""


def packages(mirror: object) -> list[object]:
    """Says that the image is still to come."""
    raise BoardError("the Debian image is not there yet", remedy="use the bare one")
