/* Models of functions that read files: bytes of symbolic files and of the standard input get their
 * expressions by their place in the file. */
#include "bytes.h"
#include "inputs.h"
#include "passing.h"

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- descriptors ---- */

static void arrived(int file, const void *at, ssize_t size, off_t offset) {
    if (size <= 0 || offset < 0) return;
    memory_clear((uintptr_t)at, (size_t)size);
    inputs_read(file, (uintptr_t)at, (size_t)size, (uint64_t)offset);
}

AFTER(read, (int file, void *to, size_t size, ssize_t result)) {
    (void)size;
    if (inputs_are_of(file)) arrived(file, to, result, lseek(file, 0, SEEK_CUR) - result);
    return 0;
}

AFTER(pread, (int file, void *to, size_t size, off_t offset, ssize_t result)) {
    (void)size;
    arrived(file, to, result, offset);
    return 0;
}

AFTER(mmap, (void *at, size_t size, int access, int flags, int file, off_t offset, void *result)) {
    (void)at, (void)access, (void)flags;
    if (result == (void *)-1) return 0;
    memory_clear((uintptr_t)result, size);
    if (inputs_are_of(file)) arrived(file, result, (ssize_t)size, offset);
    return 0;
}

/* ---- streams ---- */

/* Where the stream stood before the call; negative if its file is no object. */
static __thread off_t stood;

static void remember(FILE *stream) { stood = inputs_are_of(fileno(stream)) ? ftello(stream) : -1; }

static void came(FILE *stream, const void *at) {
    if (stood >= 0) arrived(fileno(stream), at, ftello(stream) - stood, stood);
}

BEFORE(fread, (void *to, size_t size, size_t count, FILE *stream)) {
    (void)to, (void)size, (void)count;
    remember(stream);
}
AFTER(fread, (void *to, size_t size, size_t count, FILE *stream, size_t result)) {
    (void)size, (void)count, (void)result;
    came(stream, to);
    return 0;
}

BEFORE(fgets, (char *to, int size, FILE *stream)) {
    (void)to, (void)size;
    remember(stream);
}
AFTER(fgets, (char *to, int size, FILE *stream, char *result)) {
    (void)size;
    if (!result || stood < 0) return 0;
    came(stream, to);
    memory_clear((uintptr_t)to + (size_t)(ftello(stream) - stood), 1);
    return 0;
}

BEFORE(getline, (char **to, size_t *size, FILE *stream)) {
    (void)to, (void)size;
    remember(stream);
}
AFTER(getline, (char **to, size_t *size, FILE *stream, ssize_t result)) {
    (void)size;
    if (result >= 0) came(stream, *to);
    return 0;
}

/* One byte, as an int. */
static uint32_t character(FILE *stream, int result) {
    if (result < 0 || stood < 0) return 0;
    return expression_resized(inputs_byte(fileno(stream), (uint64_t)stood, (uint8_t)result), 32);
}

BEFORE(fgetc, (FILE * stream)) { remember(stream); }
AFTER(fgetc, (FILE * stream, int result)) { return character(stream, result); }
BEFORE(getchar, (void)) { remember(stdin); }
AFTER(getchar, (int result)) { return character(stdin, result); }

/* Code that reads the buffer by itself has found it empty. */
BEFORE(__uflow, (FILE * stream)) { remember(stream); }
AFTER(__uflow, (FILE * stream, int result)) {
    ssize_t size = stream->_IO_read_end - stream->_IO_read_base;
    int file = fileno(stream);
    if (stood >= 0) arrived(file, stream->_IO_read_base, size, lseek(file, 0, SEEK_CUR) - size);
    return character(stream, result);
}

/* ---- conversions ---- */

/* What conversions have looked at is bound. */
static void looked_at(FILE *stream, uint64_t pc) {
    if (stood < 0) return;
    off_t end = ftello(stream) + 1;
    for (off_t at = stood; at < end; at++) inputs_bind(fileno(stream), (uint64_t)at, pc);
}

BEFORE(fscanf, (FILE * stream)) { remember(stream); }
AFTER(fscanf, (FILE * stream)) {
    looked_at(stream, HERE);
    return 0;
}
BEFORE(scanf, (void)) { remember(stdin); }
AFTER(scanf, (void)) {
    looked_at(stdin, HERE);
    return 0;
}
