"""The result of one kill-and-reboot cycle."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Cycle:
    """One cut and what was found after it."""

    number: int
    control: bool = False
    """True if something must have been lost."""
    place: str = ""
    """The place of a change at which the service had died when the power was cut; empty where it was cut anywhere."""
    acknowledged: list[int] = field(default_factory=list)
    found: list[int | None] = field(default_factory=list)
    fate: str = ""
    lost_bytes: int = 0
    checked: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if everything was checked and held; of a control, if something did not hold."""
        return bool(self.checked) and bool(self.problems) == self.control

    @property
    def outcome(self) -> str:
        """The outcome, in words."""
        if not self.checked and not self.problems:
            return "it was not checked"
        if self.control:
            return f"{'; '.join(self.problems)}, as it must" if self.problems else "BLIND: nothing was lost without barriers"
        return "; ".join(self.problems) or "all there"
