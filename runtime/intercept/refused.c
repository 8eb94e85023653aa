/* Streams that the C library or the kernel refuses. */
#include <stdarg.h>
#include "check.h"

/* The C library's own streams, whatever the variables stdin, stdout and stderr are now. */
extern FILE _IO_2_1_stdin_, _IO_2_1_stdout_, _IO_2_1_stderr_;

int stream_number(const FILE *stream) {
    return stream == &_IO_2_1_stdin_    ? 0
           : stream == &_IO_2_1_stdout_ ? 1
           : stream == &_IO_2_1_stderr_ ? 2
                                        : -1;
}

void stream_refused(struct site site, FILE *stream) {
    if (!descriptors_watched() || errno != EBADF) return;
    int file = file_of(stream), number = stream_number(stream);
    if (file >= 0)
        descriptor_refused(file, site.function, site.frame);
    else if (number >= 0)
        descriptor_stream_refused((unsigned)number, site.function, site.frame);
}
