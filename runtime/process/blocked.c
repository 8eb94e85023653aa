#include "blocked.h"
#include "../os/os.h"
#include "../os/text.h"

#define LINE_MOST 256u
#define TURNS 40u
#define TURN_US 250u

/* The line has the number of the call, its arguments, the stack pointer and the program counter,
 * or one word. */
static uintptr_t second_last(const char *line, size_t end) {
    size_t last = end;
    while (last && line[last - 1] != ' ') last--;
    size_t from = last ? last - 1 : 0;
    while (from && line[from - 1] != ' ') from--;
    if (!from || last - from < 4 || line[from] != '0' || line[from + 1] != 'x') return 0;
    uintptr_t value;
    from += 2;
    return text_read_hex(line, last, &from, &value) && from == last - 1 ? value : 0;
}

/* 0 if the thread runs or the kernel does not tell. */
static uintptr_t stack_pointer(uint32_t tid) {
    char line[LINE_MOST];
    TEXT(path, 64);
    text_put(&path, "/proc/self/task/");
    text_decimal(&path, tid);
    text_put(&path, "/syscall");
    text_put_n(&path, "", 1);
    long size = os_read_file(path.begin, line, sizeof line - 1);
    while (size > 0 && line[size - 1] == '\n') size--;
    return size > 0 ? second_last(line, (size_t)size) : 0;
}

uintptr_t blocked_await(uint32_t tid) {
    for (unsigned turn = 0; turn < TURNS; turn++) {
        uintptr_t found = stack_pointer(tid);
        if (found) return found;
        os_sleep_us(TURN_US);
    }
    return 0;
}
