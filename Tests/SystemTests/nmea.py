"""A receiver on a pseudo-terminal: writes the sentences of NMEA 0183 for the position in a file, five times a second.

    nmea.py DIRECTORY     DIRECTORY/position holds `LATITUDE LONGITUDE`, or anything else for silence;
                          DIRECTORY/tty is made as a link to the terminal
"""

import os
import sys
import time
import tty
from pathlib import Path


def sentence(text: str) -> bytes:
    """Returns a sentence with its checksum."""
    total = 0
    for byte in text.encode():
        total ^= byte
    return f"${text}*{total:02X}\r\n".encode()


def angle(value: float, width: int, halves: str) -> str:
    """Returns an angle as degrees and minutes, with its half of the globe."""
    degrees, minutes = divmod(round(abs(value) * 60, 4), 60)
    return f"{int(degrees):0{width}}{minutes:07.4f},{halves[value < 0]}"


def main() -> None:
    """Writes until the directory is gone."""
    place = Path(sys.argv[1])
    master, slave = os.openpty()
    tty.setraw(slave)
    (place / "tty").symlink_to(os.ttyname(slave))
    while place.exists():
        now = time.gmtime()
        text = (place / "position").read_text() if (place / "position").exists() else ""
        words = text.split()
        # A file that is being written has no end of its line yet.
        if len(words) == 2 and text.endswith("\n"):
            where = f"{angle(float(words[0]), 2, 'NS')},{angle(float(words[1]), 3, 'EW')}"
            clock, day = time.strftime("%H%M%S.00", now), time.strftime("%d%m%y", now)
            os.write(master, sentence("GNGSA,A,3,01,02,03,04,,,,,,,,,1.9,1.1,1.5"))
            os.write(master, sentence(f"GNRMC,{clock},A,{where},0.1,12.0,{day},,,A"))
            os.write(master, sentence(f"GNGGA,{clock},{where},1,08,1.1,34.0,M,45.0,M,,"))
        time.sleep(0.2)


main()
