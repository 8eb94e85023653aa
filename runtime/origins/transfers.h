/* What library functions give the program from outside of the process, and what it sends there, for
 * the chains of values. Only the calls of checked code say where they stand. These are functions of
 * the observer of origins (events/events.h). */
#ifndef WHENCE_ORIGINS_TRANSFERS_H
#define WHENCE_ORIGINS_TRANSFERS_H

#include "../events/events.h"

void transfer_arrived(const struct transfer *transfer);
void transfer_left(const struct transfer *transfer);
void transfer_shown(const char *function, int file, uint64_t offset, uintptr_t at, uint64_t size);
void transfer_lent(const char *function, const struct frame *frame, const char *text);
void transfer_takes(const char *function, struct intake *intake);
void transfer_taken(const char *function, struct intake *intake, int all);
void transfer_stored(const char *function, const struct frame *frame, struct intake *intake,
                     const struct taken_part *part);
void transfer_returned(const char *function, const struct frame *frame, struct intake *intake,
                       uint8_t byte);
void transfer_undone(FILE *stream);
void transfer_parsed(const char *function, const char *text, uint64_t size, uint64_t result);

#endif
