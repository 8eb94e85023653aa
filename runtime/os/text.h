/* Builds short texts in a fixed buffer; what does not fit is cut off. */
#ifndef WHENCE_OS_TEXT_H
#define WHENCE_OS_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *begin;
    size_t capacity;
    size_t length;
};

#define TEXT(name, size)                                                                           \
    char name##_buffer[size];                                                                      \
    struct text name = {name##_buffer, size, 0}

void text_put(struct text *text, const char *string);
void text_put_n(struct text *text, const char *string, size_t length);
void text_decimal(struct text *text, uint64_t value);
void text_hex(struct text *text, uint64_t value);
/* Reads such digits from a place of a text on, and moves the place behind them; 0: there are none.
 */
int text_read_hex(const char *text, size_t size, size_t *at, uintptr_t *value);
/* The path of a descriptor of the process, with its final 0. */
void text_descriptor(struct text *text, uint64_t number);
/* Writes "whence: " and the text as one line to standard error. */
void text_complain(const struct text *text);
/* Writes the text as text_complain does, then ends the process with status TEXT_LIMIT_STATUS: the
 * runtime cannot continue. */
_Noreturn void text_give_up(const struct text *text);
/* The sentence for an address range, meant for `what`, that could not be reserved; result: -errno.
 */
void text_no_range(struct text *message, const char *what, long result, uintptr_t begin,
                   size_t size);

#define TEXT_LIMIT_STATUS 125

#endif
