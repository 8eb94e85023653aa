/* modules: interface/requests interface/chunks blocks/block blocks/blocks blocks/claims planes/planes findings/described os/os os/text */
#include "../../../runtime/labels/births.h"
#include "../../../runtime/interface/poison.h"
#include "../../../runtime/findings/described.h"
#include "../../../runtime/leak/leak.h"
#include "../../../runtime/rt/event.h"
#include "../../../runtime/rt/access.h"
#include "../../../runtime/definedness/contents.h"
#include "unit.h"

#include <stdarg.h>

int labels_marked(const char *function, const struct frame *frame, uintptr_t at, uint64_t size) {
    return (void)function, (void)frame, (void)at, (void)size, 0;
}
int labels_unmarked(const char *function, uintptr_t at, uint64_t size) {
    return (void)function, (void)at, (void)size, 0;
}

uint64_t __whence_client_request(const uint64_t *words, uint64_t otherwise);

/* What requests.c needs of the rest of the runtime, writing down what it is asked for. */
__thread struct thread thread_self;
int rt_ready = 1;
void contents_limited(uint64_t size) { (void)size; }
void port_start(void) {}
void *rt_private(size_t size) {
    static char room[8 << 20];
    static size_t used;
    used += size;
    return used <= sizeof room ? room + used - size : NULL;
}
uint64_t event_points;
uint64_t event_evaluate(struct context *context) { return (void)context, 0; }
void rt_note(int *said, const char *sentence) {
    *said = 1;
    fprintf(stderr, "%s\n", sentence);
}

static char log_text[4096];

static void note(const char *format, ...) {
    va_list arguments;
    size_t length = strlen(log_text);
    va_start(arguments, format);
    vsnprintf(log_text + length, sizeof log_text - length, format, arguments);
    va_end(arguments);
}

void poison_close(uintptr_t begin, uint64_t size) {
    if (size) note("close %#lx %lu;", begin, size);
}
void poison_open(uintptr_t begin, uint64_t size) { note("open %#lx %lu;", begin, size); }
static uintptr_t hole; /* one more byte that is inaccessible */
uint64_t poison_accessible(uintptr_t begin, uint64_t size) {
    if (!begin) return 0;
    if (hole >= begin && hole < begin + size) return hole - begin;
    return begin == 0xbad0 ? size - 1 : size;
}
uintptr_t poison_past(uintptr_t inaccessible) { return (inaccessible | 7) + 1; }
void access_check_request(uintptr_t address, uint64_t size, const char *request,
                          const struct frame *frame) {
    note("check %#lx %lu %d %s;", address, size, !frame, request);
}
void ignored_add(uintptr_t begin, uint64_t size) { note("ignore %#lx %lu;", begin, size); }
void ignored_remove(uintptr_t begin, uint64_t size) { note("report %#lx %lu;", begin, size); }
uint32_t values_on;
void __whence_value_define(uint64_t address, uint64_t size) {
    note("define %#lx %lu;", address, size);
}
void values_forget(uintptr_t address, uint64_t size, uint64_t origin) {
    note("forget %#lx %lu %d;", address, size, origin != 0);
}
/* The bits of a byte are the last eight of its address. */
struct whence_bits __whence_value_load(uint64_t address, uint64_t size) {
    return (struct whence_bits){size == 1 ? address & 0xff : 0, 0};
}
void __whence_value_store(uint64_t address, uint64_t size, uint64_t bits, uint64_t origin) {
    note("store %#lx %lu %#lx %d;", address, size, bits, origin != 0);
}
uintptr_t values_first(uintptr_t address, uint64_t size) { return address + size - 1; }
void use_memory(uintptr_t begin, uint64_t size, uintptr_t first, const char *library,
                const struct frame *frame) {
    note("use %#lx of %#lx %lu %s %d;", first, begin, size, library, frame != NULL);
}
uint32_t port_stack(struct thread *thread, const struct frame *frame) {
    return thread && frame ? 7 : 0;
}
struct wh_leaks leak_last;
uint64_t event_leak_check(struct context *context, uint32_t check) {
    note("leaks %d %u;", context->frame != NULL, check);
    return 3;
}
uint64_t finding_count(void) { return 17; }

static uint64_t ask(uint64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const uint64_t words[6] = {number, a, b, c, d, 0};
    log_text[0] = 0;
    return __whence_client_request(words, 4711);
}

#define CHECK_LOG(text)                                                                            \
    do                                                                                             \
        if (strcmp(log_text, (text))) {                                                            \
            fprintf(stderr, "%s:%d: log is %s\n", __FILE__, __LINE__, log_text);                   \
            exit(1);                                                                               \
        }                                                                                          \
    while (0)

/* Valgrind's stable numbers, from its manual's header by hand. */
#define MC(n) (0x4d430000u + (n))

static void unknown_requests_have_the_caller_s_answer(void) {
    CHECK_EQUAL(ask(0, 0, 0, 0, 0), 4711);
    CHECK_EQUAL(ask(0x1002, 1, 2, 3, 4), 4711);
    CHECK_EQUAL(ask(UINT64_MAX, 0, 0, 0, 0), 4711);
    CHECK_LOG("");
}

static void memory_is_closed_opened_and_checked(void) {
    CHECK_EQUAL(ask(0x1001, 0, 0, 0, 0), 1);
    CHECK_EQUAL(ask(MC(0), 0x100, 8, 0, 0), UINT64_MAX);
    CHECK_LOG("close 0x100 8;");
    CHECK_EQUAL(ask(MC(1), 0x100, 8, 0, 0), UINT64_MAX);
    CHECK_LOG("open 0x100 8;");
    CHECK_EQUAL(ask(MC(2), 0x100, 9, 0, 0), UINT64_MAX);
    CHECK_LOG("open 0x100 9;");
    CHECK_EQUAL(ask(MC(4), 0x100, 9, 0, 0), 0);
    CHECK_LOG("");
    CHECK_EQUAL(ask(MC(5), 0xbad0, 9, 0, 0), 0xbad8);
    CHECK_LOG("check 0xbad0 9 0 client request;");
    CHECK_EQUAL(ask(MC(4), 0, 4, 0, 0), 0); /* its first bad byte is at 0 */
    CHECK_LOG("check 0 4 0 client request;");
    CHECK_EQUAL(ask(MC(5), 0, 0, 0, 0), 0);
    CHECK_LOG("");
}

static void definedness_is_followed_while_a_rule_needs_it(void) {
    values_on = 1;
    CHECK_EQUAL(ask(MC(1), 0x100, 8, 0, 0), UINT64_MAX);
    CHECK_LOG("open 0x100 8;forget 0x100 8 1;");
    ask(MC(1), 0x100, 3 << 20, 0, 0);
    CHECK_LOG("open 0x100 3145728;forget 0x100 1048576 1;");
    ask(MC(1), 0xbad0, 8, 0, 0); /* closed for another reason */
    CHECK_LOG("open 0xbad0 8;");
    CHECK_EQUAL(ask(MC(2), 0x100, 8, 0, 0), UINT64_MAX);
    CHECK_LOG("open 0x100 8;define 0x100 8;");
    CHECK_EQUAL(ask(MC(4), 0x100, 9, 0, 0), 0);
    CHECK_LOG("");
    CHECK_EQUAL(ask(MC(5), 0x100, 9, 0, 0), 0x108);
    CHECK_LOG("use 0x108 of 0x100 9 client request 1;");
    values_on = 0;
}

static void undefined_bits_are_copied(void) {
    uint8_t bits[3] = {9, 9, 9};
    char stored[200];
    uint64_t at = (uint64_t)(uintptr_t)bits;
    CHECK_EQUAL(ask(MC(8), 0x7fe, at, 3, 0), 1); /* not followed: all defined */
    CHECK(bits[0] == 0 && bits[1] == 0 && bits[2] == 0);
    CHECK_EQUAL(ask(MC(9), 0x7fe, at, 3, 0), 1);
    CHECK_LOG("");
    values_on = 1;
    CHECK_EQUAL(ask(MC(8), 0x7fe, at, 3, 0), 1);
    CHECK(bits[0] == 0xfe && bits[1] == 0xff && bits[2] == 0);
    snprintf(stored, sizeof stored, "define %#lx 1;define %#lx 1;define %#lx 1;", at, at + 1,
             at + 2);
    CHECK_LOG(stored);
    CHECK_EQUAL(ask(MC(9), 0x900, at, 3, 0), 1);
    CHECK_LOG("store 0x900 1 0xfe 1;store 0x901 1 0xff 1;store 0x902 1 0 0;");
    CHECK_EQUAL(ask(MC(8), 0xbad0, at, 3, 0), 3);
    CHECK_EQUAL(ask(MC(9), 0x7fe, 0xbad0, 3, 0), 3);
    CHECK_EQUAL(ask(MC(8), 0, at, 3, 0), 3);
    CHECK_EQUAL(ask(MC(8), 0x7fe, 0, 3, 0), 3);
    CHECK_EQUAL(ask(MC(9), 0, at, 3, 0), 3);
    CHECK_EQUAL(ask(MC(8), 0, at, 0, 0), 1);
    log_text[0] = 0;
    hole = at + 2;
    CHECK_EQUAL(ask(MC(8), 0x400, at, 3, 0), 3);
    CHECK_LOG("");
    CHECK(bits[0] == 0xfe);
    hole = 0;
    values_on = 0;
}

static void accessible_memory_becomes_defined(void) {
    hole = 0x104;
    CHECK_EQUAL(ask(MC(11), 0x100, 16, 0, 0), UINT64_MAX);
    CHECK_LOG("");
    values_on = 1;
    CHECK_EQUAL(ask(MC(11), 0x100, 16, 0, 0), UINT64_MAX);
    CHECK_LOG("define 0x100 4;define 0x108 8;");
    CHECK_EQUAL(ask(MC(11), 0x200, 8, 0, 0), UINT64_MAX);
    CHECK_LOG("define 0x200 8;");
    hole = 0;
    values_on = 0;
}

static void blocks_of_the_program_s_own(void) {
    ask(0x1301, 0x1000, 100, 16, 0);
    CHECK_LOG("close 0xff0 16;close 0x1064 16;open 0x1000 100;");
    ask(0x130b, 0x1000, 100, 50, 0); /* resized, without red zones */
    CHECK_LOG("close 0x1000 100;open 0x1000 50;");
    ask(0x1302, 0x1000, 16, 0, 0);
    CHECK_LOG("close 0x1000 50;");
    ask(0x1302, 0x1000, 16, 0, 0); /* freed twice: nothing is there */
    CHECK_LOG("");
    ask(0x1302, 0, 0, 0, 0);
    CHECK_LOG("");
}

static void contents_of_the_program_s_own_blocks(void) {
    enum { POOL = 0x500, ZEROED = 0x600, UNKNOWN = 0x700 };
    values_on = 1;
    ask(0x1301, 0x1000, 100, 0, 0);
    CHECK_LOG("open 0x1000 100;forget 0x1000 100 1;");
    ask(0x130b, 0x1000, 100, 120, 0);
    CHECK_LOG("close 0x1000 100;open 0x1000 120;forget 0x1064 20 1;");
    ask(0x130b, 0x1000, 120, 50, 0);
    CHECK_LOG("close 0x1000 120;open 0x1000 50;");
    ask(0x1301, 0x1000, 100, 0, 1); /* zeroed */
    CHECK_LOG("open 0x1000 100;define 0x1000 100;");
    ask(0x1303, POOL, 0, 0, 0);
    ask(0x1303, ZEROED, 8, 1, 0);
    ask(0x1305, POOL, 0x2000, 64, 0);
    CHECK_LOG("open 0x2000 64;forget 0x2000 64 1;");
    ask(0x1305, ZEROED, 0x3000, 64, 0);
    CHECK_LOG("close 0x2ff8 8;close 0x3040 8;open 0x3000 64;define 0x3000 64;");
    ask(0x1305, UNKNOWN, 0x4000, 64, 0);
    CHECK_LOG("open 0x4000 64;");
    ask(0x1304, POOL, 0, 0, 0);
    ask(0x1308, ZEROED, POOL, 0, 0);
    ask(0x1305, POOL, 0x5000, 64, 0);
    CHECK_LOG("close 0x4ff8 8;close 0x5040 8;open 0x5000 64;define 0x5000 64;");
    ask(0x1304, POOL, 0, 0, 0);
    ask(0x1304, UNKNOWN, 0, 0, 0);
    ask(0x1302, 0x1000, 0, 0, 0);
    values_on = 0;
}

static void pools(void) {
    enum { POOL = 0x500, OTHER = 0x600 };
    CHECK_EQUAL(ask(0x130a, POOL, 0, 0, 0), 0);
    CHECK_EQUAL(ask(0x1303, POOL, 0, 0, 0), 0);
    CHECK_EQUAL(ask(0x130a, POOL, 0, 0, 0), 1);
    ask(0x1305, POOL, 0x2000, 64, 0);
    CHECK_LOG("open 0x2000 64;");
    ask(0x1305, POOL, 0x3000, 64, 0);
    CHECK_EQUAL(ask(0x130a, POOL, 0, 0, 0), 1);
    ask(0x1306, OTHER, 0x2000, 0, 0); /* not of that pool */
    CHECK_LOG("");
    ask(0x1309, POOL, 0x2000, 0x2100, 32);
    CHECK_LOG("close 0x2000 64;open 0x2100 32;");
    ask(0x1308, POOL, OTHER, 0, 0);
    CHECK_EQUAL(ask(0x130a, POOL, 0, 0, 0), 0);
    ask(0x1307, OTHER, 0x2110, 0x1000,
        0); /* half of the first chunk is kept, and all of the second */
    CHECK(strstr(log_text, "close 0x2100 16;") && !strstr(log_text, "0x3000"));
    ask(0x1307, OTHER, 0x2110, 16, 0);
    CHECK(strstr(log_text, "close 0x3000 64;"));
    ask(0x1304, OTHER, 0, 0, 0);
    CHECK_LOG("close 0x2100 32;");
    CHECK_EQUAL(ask(0x130a, OTHER, 0, 0, 0), 0);
}

static void leaks_and_errors(void) {
    uint64_t counts[4] = {0};
    leak_last = (struct wh_leaks){0};
    uint64_t *first = &leak_last.definite_blocks;
    for (int i = 0; i < 10; i++) first[i] = 1u << i;
    ask(MC(6), 0, 0, 0, 0);
    CHECK_LOG("leaks 1 2;");
    ask(MC(12), (uint64_t)&counts[0], (uint64_t)&counts[1], (uint64_t)&counts[2],
        (uint64_t)&counts[3]);
    CHECK_EQUAL(counts[0], 1 + 4); /* definite and indirect */
    CHECK_EQUAL(counts[1], 16);
    CHECK_EQUAL(counts[2], 64);
    CHECK_EQUAL(counts[3], 256);
    ask(MC(7), (uint64_t)&counts[0], (uint64_t)&counts[1], (uint64_t)&counts[2],
        (uint64_t)&counts[3]);
    CHECK_EQUAL(counts[0], 2 + 8);
    CHECK_EQUAL(ask(0x1201, 0, 0, 0, 0), 17);
    ask(0x1801, 1, 0, 0, 0);
    ask(0x1801, 1, 0, 0, 0);
    CHECK_EQUAL(thread_self.silent, 2);
    for (int i = 0; i < 3; i++) ask(0x1801, UINT64_MAX, 0, 0, 0); /* once too often */
    CHECK_EQUAL(thread_self.silent, 0);
}

static void ranges_without_reports(void) {
    CHECK_EQUAL(ask(MC(14), 0x100, 8, 0, 0), 1);
    CHECK_LOG("ignore 0x100 8;");
    CHECK_EQUAL(ask(MC(13), 0x100, 4, 0, 0), 1);
    CHECK_LOG("report 0x100 4;");
    CHECK_EQUAL(ask(MC(14), 0x100, 0, 0, 0), 0);
    CHECK_EQUAL(ask(MC(13), 0x100, 0, 0, 0), 0);
}

static void descriptions(void) {
    uint64_t text = (uint64_t)(uintptr_t)"what it is";
    CHECK_EQUAL(ask(MC(10), 0x100, 0, text, 0), UINT64_MAX);
    CHECK_EQUAL(ask(MC(10), 0, 8, text, 0), UINT64_MAX);
    CHECK_EQUAL(ask(MC(10), 0x100, 8, text, 0), 0);
    CHECK_EQUAL(ask(MC(10), 0x200, 8, 0, 0), 1);
    CHECK_LOG("");
    struct described found = described_at(0x107);
    CHECK(found.length == 10 && !memcmp(found.text, "what it is", 10) && found.stack == 7);
    CHECK(described_at(0x200).size == 8 && !described_at(0x200).length);
    CHECK_EQUAL(ask(MC(3), 0, 0, 0, 0), 0);
    CHECK_EQUAL(ask(MC(3), 0, 0, 0, 0), 1); /* a second time */
    CHECK_EQUAL(ask(MC(3), 0, 4711, 0, 0), 1);
    CHECK_EQUAL(described_at(0x107).size, 0);
}

static uint64_t added(uint64_t thread, uint64_t a, uint64_t b, uint64_t c) {
    return thread * 1000 + a + b + c;
}

static void functions_are_called(void) {
    thread_self.number = 1;
    CHECK_EQUAL(ask(0x1104, (uint64_t)(uintptr_t)added, 1, 2, 3), 2006);
}

int main(void) {
    unknown_requests_have_the_caller_s_answer();
    memory_is_closed_opened_and_checked();
    definedness_is_followed_while_a_rule_needs_it();
    undefined_bits_are_copied();
    accessible_memory_becomes_defined();
    blocks_of_the_program_s_own();
    contents_of_the_program_s_own_blocks();
    pools();
    leaks_and_errors();
    ranges_without_reports();
    descriptions();
    functions_are_called();
    return 0;
}
