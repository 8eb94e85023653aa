/* Records of the loaded objects, with which the launcher symbolises addresses later. */
#ifndef WHENCE_PROCESS_MAPS_H
#define WHENCE_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>

/* Writes a MAPS record if the mapped files differ from those of the last one. Returns the id of the
 * current record, a hash of its text; 0: none. */
uint32_t maps_current(void);

/* A hash of the executable mappings of files at the last call of maps_current: processes with the
 * same one have the same code at the same addresses. 0: not known. */
uint64_t maps_code(void);

/* Between these two calls maps_current does not read the mappings again, which takes long in
 * programs with tens of thousands of them and many findings at once. */
void maps_keep(void);
void maps_let_go(void);

/* Writes a PROCESS record if this process has not done so. */
void maps_tell_process(void);

/* One mapping of /proc/self/maps. */
struct mapping {
    uintptr_t begin, end;
    char protection[4]; /* as in "rw-p" */
    const char *line;
    size_t line_length; /* without the newline */
    const char *path;   /* inside the line; path_length 0: anonymous */
    size_t path_length;
};

/* Reads the next line of the text; 0 at the end or at a malformed line. */
int maps_parse(const char *text, size_t size, size_t *at, struct mapping *mapping);

/* /proc/self/maps in fresh memory, to be unmapped with size MAPS_ROOM; 0 if
 * it cannot be read. */
#define MAPS_ROOM (64ull << 20)
uintptr_t maps_read(size_t *size);

#endif
