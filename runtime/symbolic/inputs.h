/* The symbolic objects of a path: what a request brings, and what the program makes symbolic. */
#ifndef WHENCE_SYMBOLIC_INPUTS_H
#define WHENCE_SYMBOLIC_INPUTS_H

#include <stddef.h>
#include <stdint.h>

/* Takes over the objects of a request, `count` of them in `size` bytes: struct wh_explore_object,
 * name, bytes, and so on. 0 if they are malformed. */
int inputs_take(const char *bytes, size_t size, uint32_t count);

/* Puts the objects into the arguments, the environment and the standard input, and marks them.
 * 0 if there is no place for one, which *name says. */
int inputs_place(char **arguments, char **environment, const char **name);

/* Makes memory symbolic, and gives it the bytes that the request has for it, else zeros; where no
 * path is explored, those of a test (stored.h). */
void inputs_memory(void *at, size_t size, const char *name);

/* Bytes of a descriptor have been read to `at`, from its `offset` on: marks them if the file is an
 * object. */
void inputs_read(int file, uintptr_t at, size_t size, uint64_t offset);
/* The name of the symbolic file with this number; NULL behind the last. */
const char *inputs_file(uint32_t number);
/* Whether a file, by its whole name, lies in the folder that a program with symbolic files has for
 * itself. */
int inputs_are_beside(const char *name);
/* Whether a descriptor is an object's file. */
int inputs_are_of(int file);
/* The expression of a byte of such a file, 0 if it has none. */
uint32_t inputs_byte(int file, uint64_t offset, uint8_t value);
/* Binds such a byte. */
void inputs_bind(int file, uint64_t offset, uint64_t pc);

#endif
