/* Models of functions that read files: bytes of symbolic files and of the standard input get their
 * expressions by their place in the file. */
#include "bytes.h"
#include "inputs.h"
#include "files.h"
#include "passing.h"
#include "unseen.h"

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- descriptors ---- */

/* A model is about to see what is read. */
static __thread int modelled;

static void arrived(int file, const void *at, ssize_t size, off_t offset) {
    if (size <= 0 || offset < 0) return;
    memory_clear((uintptr_t)at, (size_t)size);
    inputs_read(file, (uintptr_t)at, (size_t)size, (uint64_t)offset);
}

BEFORE(read, (int file, void *to, size_t size)) {
    (void)file, (void)to, (void)size;
    modelled = 1;
}
AFTER(read, (int file, void *to, size_t size, ssize_t result)) {
    (void)size;
    modelled = 0;
    if (inputs_are_of(file)) arrived(file, to, result, lseek(file, 0, SEEK_CUR) - result);
    return 0;
}

BEFORE(pread, (int file, void *to, size_t size, off_t offset)) {
    (void)file, (void)to, (void)size, (void)offset;
    modelled = 1;
}
AFTER(pread, (int file, void *to, size_t size, off_t offset, ssize_t result)) {
    (void)size;
    modelled = 0;
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

void files_unseen(int file, uint64_t offset, uint64_t size) {
    if (modelled || !inputs_are_of(file)) return;
    for (uint64_t i = 0; i < size; i++) inputs_bind(file, offset + i, unseen_last());
}

/* ---- streams ---- */

/* Where the stream stood before the call; negative if its file is no object. */
static __thread off_t stood;

static void remember(FILE *stream) {
    modelled = 1;
    stood = inputs_are_of(fileno(stream)) ? ftello(stream) : -1;
}

/* How many bytes the call has read. */
static size_t came(FILE *stream, const void *at) {
    modelled = 0;
    if (stood < 0) return 0;
    off_t size = ftello(stream) - stood;
    arrived(fileno(stream), at, size, stood);
    return size < 0 ? 0 : (size_t)size;
}

/* Of the bytes of a line, those that are looked at: whether one is its end is decided. */
static void end_of_line(const char *line, size_t looked_at, uint8_t end, uint64_t pc) {
    for (size_t i = 0; i < looked_at; i++) byte_is(byte_at(line + i), end, pc);
}

/* A call moves within the file, and may read what lies there into the stream's buffer. */
BEFORE(fseek, (FILE * stream)) {
    (void)stream;
    modelled = 1;
}
AFTER(fseek, (FILE * stream)) {
    (void)stream;
    modelled = 0;
    return 0;
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
    size_t length = came(stream, to);
    if (!result || stood < 0) return 0;
    memory_clear((uintptr_t)to + length, 1);
    size_t most = size < 2 ? 0 : (size_t)size - 2; /* behind it there is no room for another */
    end_of_line(to, length < most ? length : most, '\n', HERE);
    return 0;
}

BEFORE(getline, (char **to, size_t *size, FILE *stream)) {
    (void)to, (void)size;
    remember(stream);
}
AFTER(getline, (char **to, size_t *size, FILE *stream, ssize_t result)) {
    (void)size;
    size_t length = came(stream, *to);
    if (result >= 0) end_of_line(*to, length, '\n', HERE);
    return 0;
}

BEFORE(getdelim, (char **to, size_t *size, int end, FILE *stream)) {
    (void)to, (void)size, (void)end;
    remember(stream);
}
AFTER(getdelim, (char **to, size_t *size, int end, FILE *stream, ssize_t result)) {
    (void)size;
    size_t length = came(stream, *to);
    if (result >= 0) end_of_line(*to, length, (uint8_t)end, HERE);
    return 0;
}

/* One byte, as an int. */
static uint32_t character(FILE *stream, int result) {
    modelled = 0;
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
    modelled = 0;
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
