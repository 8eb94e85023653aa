/* Which bytes each conversion of a scanf takes: it is called with a format that stores, by %n,
 * where each begins and ends. */
#ifndef WHENCE_INTERCEPT_COUNTED_H
#define WHENCE_INTERCEPT_COUNTED_H

#include <stdarg.h>
#include "format.h"

#define COUNTED_ROOM 512
#define COUNTED_UNKNOWN (-1)

struct counting {
    const char
        *format; /* to be called with this list: those of the program, if nothing is counted */
    va_list list;
    /* Of the conversions that store what they have read, in order: bytes from the begin of what is
     * taken. */
    int begins[FORMAT_MOST], ends[FORMAT_MOST];
    int all; /* bytes that were taken, if all conversions were successful */
    char made[COUNTED_ROOM];
    void *places[3 * FORMAT_MOST + 1];
};

/* is_wanted: whether anybody asks for it. */
void counting_begin(struct counting *counting, const char *format, va_list arguments,
                    int is_wanted);

#endif
