"""Which values a computation on unwritten bytes may have.

A compiler that proves that a condition has the same outcome for all values removes the use of the value,
while the machine judges bit by bit: the generator draws no such condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

BITS = 64
LIMIT = 1 << BITS


@dataclass(frozen=True)
class Values:
    """The numbers `first + k * step` for `0 <= k < count`, modulo 2**64."""

    first: int
    step: int = 0
    count: int = 1

    @classmethod
    def unwritten(cls, width: int, written: int = 0, number: int = 0) -> Values:
        """What a read of `width` bytes gives; the first `written` have the little-endian `number`."""
        if written >= width:
            return cls(number)
        return cls(number, 1 << 8 * written, 1 << 8 * (width - written))

    def then(self, operator: str, number: int) -> Values:
        """The values of `self operator number`."""
        match operator:
            case "+":
                return Values(self.first + number, self.step, self.count)
            case "-":
                return Values(self.first - number, self.step, self.count)
            case "*":
                return Values(self.first * number, self.step * number, self.count)
            case "==":
                return self._truth(*self._may_be(number))
            case "<":
                return self._truth(*self._may_be_less(number))
        raise ValueError(f"no operator of the calculus: {operator}")

    @property
    def is_decided(self) -> bool:
        """Whether all of them are 0, or none is."""
        return not all(self._may_be(0))

    def _truth(self, yes: bool, no: bool) -> Values:
        return Values(0, 1, 2) if yes and no else Values(int(yes))

    def _may_be(self, number: int) -> tuple[bool, bool]:
        """Whether one of them is this number, and whether one is another."""
        step, distance = self.step % LIMIT, (number - self.first) % LIMIT
        if self.count == 1 or step == 0:
            return distance == 0, distance != 0
        shared = gcd(step, LIMIT)
        if distance % shared:
            return False, True
        period = LIMIT // shared
        return distance // shared * pow(step // shared, -1, period) % period < self.count, True

    def _may_be_less(self, number: int) -> tuple[bool, bool]:
        """Whether one is less than this number as a signed one, and whether one is not: both, where some of
        them are beyond the greatest signed number."""
        last = self.first + self.step * (self.count - 1)
        if last >= LIMIT // 2:
            return True, True
        return self.first < number, last >= number
