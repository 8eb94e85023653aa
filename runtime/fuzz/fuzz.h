/* Fuzzing: the process runs one input after the other, which it makes itself (whence.abi.fuzz). */
#ifndef WHENCE_FUZZ_FUZZ_H
#define WHENCE_FUZZ_FUZZ_H

/* At the start. forked: called in the child of a fork for which no handlers were called. */
void fuzz_init(void (*forked)(void));

#endif
