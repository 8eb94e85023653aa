#include "text.h"
#include "mem.h"
#include "os.h"

#include <errno.h>

void text_put_n(struct text *text, const char *string, size_t length) {
    size_t room = text->capacity - text->length;
    if (length > room) length = room;
    wh_copy(text->begin + text->length, string, length);
    text->length += length;
}

void text_put(struct text *text, const char *string) {
    text_put_n(text, string, wh_length(string));
}

static void put_number(struct text *text, uint64_t value, unsigned base) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    text_put_n(text, digits + at, sizeof digits - at);
}

void text_decimal(struct text *text, uint64_t value) { put_number(text, value, 10); }

void text_hex(struct text *text, uint64_t value) {
    text_put_n(text, "0x", 2);
    put_number(text, value, 16);
}

int text_read_hex(const char *text, size_t size, size_t *at, uintptr_t *value) {
    size_t first = *at;
    *value = 0;
    for (; *at < size; ++*at) {
        char c = text[*at];
        if (c >= '0' && c <= '9')
            *value = *value * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *value = *value * 16 + (uintptr_t)(c - 'a' + 10);
        else
            break;
    }
    return *at > first;
}

void text_descriptor(struct text *text, uint64_t number) {
    text_put(text, "/proc/self/fd/");
    text_decimal(text, number);
    text_put_n(text, "", 1);
}

void text_complain(const struct text *text) {
    TEXT(line, 1024);
    text_put(&line, "whence: ");
    text_put_n(&line, text->begin, text->length);
    if (line.length == line.capacity) line.length--;
    text_put(&line, "\n");
    os_complain(line.begin, line.length);
}

_Noreturn void text_give_up(const struct text *text) {
    text_complain(text);
    os_exit(TEXT_LIMIT_STATUS);
}

void text_no_range(struct text *message, const char *what, long result, uintptr_t begin,
                   size_t size) {
    text_put(message, "cannot reserve the addresses ");
    text_hex(message, begin);
    text_put(message, "-");
    text_hex(message, begin + size);
    text_put(message, " for the ");
    text_put(message, what);
    if (result == -EEXIST)
        text_put(message, ": something is mapped there already; link the program without fixed "
                          "addresses, or run it outside the other tool");
    else if (result == -ENOMEM)
        text_put(message, ": the address space is limited; lift the limit (ulimit -v unlimited, "
                          "ulimit -d unlimited) or vm.overcommit_memory=2");
    else {
        text_put(message, ": error ");
        text_decimal(message, (uint64_t)-result);
    }
}
