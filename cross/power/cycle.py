"""What one kill-and-reboot cycle has shown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Cycle:
    """One cut and what was found after it."""

    number: int
    acknowledged: list[int] = field(default_factory=list)
    found: list[int | None] = field(default_factory=list)
    fate: str = ""
    lost_bytes: int = 0
    checked: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether everything was looked at and all of it held."""
        return bool(self.checked) and not self.problems
