/* Streams of the C library, as the runtime looks at them. */
#ifndef WHENCE_PROCESS_STREAM_H
#define WHENCE_PROCESS_STREAM_H

#include <errno.h>
#include <stdio.h>

/* The descriptor of a stream, negative if it has none, as one in memory: then fileno sets errno. */
static inline int file_of(FILE *stream) {
    int error = errno, file = fileno(stream);
    errno = error;
    return file;
}

#endif
