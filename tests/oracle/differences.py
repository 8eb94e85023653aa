"""Programs that the machine and the native engine judge differently, by design, with the reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """A program on which the two verdicts differ.

    `machine`: the shipped rule that announces the machine's error state, or the error rule if none does;
    `engine`: the rule that the native engine reports, with `of another block` if only the block differs, or
    `clean`.
    """

    program: str
    reason: str
    machine: str
    engine: str


DIFFERENCES = (
    Difference(
        """fun main() =
  let a = malloc(16) in let b = malloc(16) in
  b := 7; let v = *(a +& (b - a)) in free(a); free(b); 0""",
        "a pointer that is moved by the distance from its own block to another pointer may be used where it "
        "arrives in the other one's block: programs that keep arrays side by side do so",
        "heap-buffer-overflow",
        "clean",
    ),
    Difference(
        """fun main() =
  let a = malloc(8) in let b = malloc(1) in
  a := 1; let u = *a in let v = *(a +& 23) in free(a); free(b); 0""",
        "between two checked bytes and within a red zone of them no derivation is passed to the check "
        "(docs/inside-accesses.md), and the block that is nearest to the access is named",
        "heap-buffer-overflow",
        "heap-buffer-overflow of another block",
    ),
    Difference(
        """fun main() =
  let a = malloc(16) in let b = malloc(16) in free(a +& 24); free(a); free(b); 0""",
        "a deallocation receives an address without its derivation; the block that is nearest to it is named",
        "unmatched-free",
        "unmatched-free of another block",
    ),
    Difference(
        """fun main() =
  let a = malloc(16) in let b = malloc(16) in let m = salloc 8 in
  b := 7; m := a +& (b - a); let v = **m in free(a); free(b); 0""",
        "a pointer keeps its block in memory, too; the engine sees derivations only within a function, "
        "and here one leads into another live block",
        "heap-buffer-overflow",
        "clean",
    ),
    Difference(
        """fun main() =
  let a = malloc(16) in let b = malloc(16) in let m = a +& 8 in
  b := 7; let v = *(m +& (b - m)) in free(a); free(b); 0""",
        "a pointer into a block's middle may be there by chance, so an access it leads to in another live "
        "block is not judged (docs/inside-accesses.md)",
        "heap-buffer-overflow",
        "clean",
    ),
)
