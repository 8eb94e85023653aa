/* modules: definedness/ranges definedness/granule definedness/details definedness/origin definedness/lost stacks/depot blocks/block blocks/blocks blocks/claims planes/planes os/os */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

#include "../../../runtime/process/closed.h"
#include "../../../runtime/process/images.h"
#include "../../../runtime/process/thread.h"
#include "../../../runtime/stacks/depot.h"
#include "../../../runtime/definedness/details.h"
#include "../../../runtime/definedness/origin.h"
#include "../../../runtime/definedness/ranges.h"
#include "unit.h"

__thread struct thread thread_self;

/* No library is closed. */
const void *closed_kept(const void *pointer) { return pointer; }

#define ARENA 0x7d0000000000ull
#define SIZE 4096u

/* What stands in generated code. */
static const struct {
    _Alignas(WH_ORIGIN_PLACE_UNIT) uint32_t before;
    struct whence_undefined head;
    char text[8];
} variable = {0, {WHENCE_UNDEFINED_MAGIC, 80}, "buffer"},
  other = {0, {WHENCE_UNDEFINED_MAGIC, 4}, "n"};

/* Where all bytes are random, a store may turn one origin into another that differs in a byte. */
static int other_is_loaded;

static uint32_t loads;
uint32_t images_version(void) { return loads; }

/* In writable data of an image, which another image may have taken the place of. */
static struct {
    _Alignas(WH_ORIGIN_PLACE_UNIT) uint32_t before;
    struct whence_undefined head;
} late = {0, {0, 4}};

int images_hold(uint64_t address) {
    return address - (uint64_t)(uintptr_t)&variable < sizeof variable ||
           address - (uint64_t)(uintptr_t)&late < sizeof late ||
           (other_is_loaded && address - (uint64_t)(uintptr_t)&other < sizeof other);
}

/* All of the constants. */
uint64_t images_begin(uint32_t *cursor, uint64_t *end) {
    uint64_t a = (uint64_t)(uintptr_t)&variable, b = (uint64_t)(uintptr_t)&other;
    *end = (a < b ? b : a) + sizeof variable;
    return (*cursor)++ ? 0 : a < b ? a : b;
}

int images_has_checks(uint64_t pc) { return pc != 0; }

#define VARIABLE (origin_of_constant((uint64_t)(uintptr_t)&variable.head))
#define OTHER (origin_of_constant((uint64_t)(uintptr_t)&other.head))

static uint8_t *const memory = (uint8_t *)ARENA;
/* The undefined bits of each byte. */
static uint8_t model[SIZE];

static void clear(void) {
    memset(memory, 0, SIZE);
    memset(model, 0, SIZE);
    __whence_value_define(ARENA, SIZE);
    CHECK_EQUAL(values_first(ARENA, SIZE), ARENA + SIZE);
}

/* ---- operations on memory and model ---- */

static void store(size_t at, size_t size, uint64_t value, uint64_t bits, uint64_t origin) {
    memcpy(memory + at, &value, size);
    memcpy(model + at, &bits, size);
    __whence_value_store(ARENA + at, size, bits, origin);
}

static void define(size_t at, size_t size, int before) {
    if (before) __whence_value_define(ARENA + at, size);
    for (size_t i = at; i < at + size; i++) memory[i] = (uint8_t)unit_random();
    if (!before) __whence_value_define(ARENA + at, size);
    memset(model + at, 0, size);
}

static void undefine(size_t at, size_t size) {
    __whence_value_undefine(ARENA + at, size, VARIABLE);
    memset(model + at, 0xff, size);
}

static void copy(size_t to, size_t from, size_t size) {
    __whence_value_copy(ARENA + to, ARENA + from, size);
    memmove(memory + to, memory + from, size);
    memmove(model + to, model + from, size);
}

/* By code that is not seen. What it writes was not there before: neither a byte of a fill word nor
 * one of what store() stores. */
#define STORED 0x8080808080808080ull

static uint8_t unseen_byte(void) {
    uint64_t fill = origin_fill(VARIABLE);
    uint8_t byte;
    do byte = (uint8_t)unit_below(0x80);
    while (memchr(&fill, byte, sizeof fill));
    return byte;
}

static void overwrite(size_t at, size_t size) {
    for (size_t i = at; i < at + size; i++) memory[i] = unseen_byte();
    memset(model + at, 0, size);
}

static uint64_t modelled(size_t at, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, model + at, size);
    return bits;
}

static void change_anything(int seen, uint64_t hint) {
    size_t at = unit_below(SIZE), most = SIZE - at;
    size_t size = 1 + unit_below(unit_below(4) ? 40 : 600), word = 1 + unit_below(8);
    if (size > most) size = most;
    if (word > most) word = most;
    uint64_t bits = unit_random() & unit_random() & (word < 8 ? (1ull << (8 * word)) - 1 : ~0ull);
    switch (unit_below(seen ? 7 : 8)) {
    case 0:
    case 1: store(at, word, unit_random(), 0, hint); break;
    case 2: store(at, word, unit_random() | STORED, bits, VARIABLE); break;
    case 3: define(at, size, seen || unit_below(2)); break;
    case 4: undefine(at, size); break;
    case 5: copy(at, unit_below(SIZE - size + 1), size); break;
    case 6: copy(at, (at + unit_below(16)) % (SIZE - size + 1), size); break;
    default: overwrite(at, size < 20 ? size : 20); break;
    }
}

static size_t first_in_model(size_t at, size_t size) {
    size_t end = at + size;
    while (at < end && !model[at]) at++;
    return at;
}

static void all_that_is_seen_is_known_bit_by_bit(void) {
    clear();
    for (int round = 0; round < 60000; round++) {
        change_anything(1, VARIABLE);
        for (int probe = 0; probe < 4; probe++) {
            size_t size = 1 + unit_below(8), at = unit_below(SIZE - size + 1);
            struct whence_bits found = __whence_value_load(ARENA + at, size);
            CHECK_EQUAL(found.bits, modelled(at, size));
            CHECK_EQUAL(found.origin, found.bits ? VARIABLE : 0);
        }
        size_t at = unit_below(SIZE), size = unit_below(SIZE - at + 1);
        CHECK_EQUAL(values_first(ARENA + at, size) - ARENA, first_in_model(at, size));
    }
}

static void what_unseen_code_wrote_is_defined(void) {
    uint64_t expected = 0, reported = 0;
    clear();
    for (int round = 0; round < 200000; round++) {
        change_anything(0, unit_below(2) ? VARIABLE : 0);
        size_t size = 1 + unit_below(8), at = unit_below(SIZE - size + 1);
        struct whence_bits found = __whence_value_load(ARENA + at, size);
        uint64_t bits = modelled(at, size);
        CHECK_EQUAL(found.bits & ~bits, 0);
        expected += bits != 0;
        reported += found.bits != 0;
    }
    CHECK(reported > expected * 3 / 4);
}

/* ---- single cases ---- */

static void a_write_may_have_bytes_of_what_was_there(void) {
    clear();
    uint64_t length = (origin_fill(VARIABLE) & 0xff) | 0x100;
    store(0, 8, origin_fill(VARIABLE), ~0ull, VARIABLE);
    memcpy(memory, &length, 8);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, 0);
    store(8, 8, 0x2020, ~0ull, VARIABLE);
    length = 0x20;
    memcpy(memory + 8, &length, 8);
    CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).bits, 0);
}

static void a_write_may_end_with_a_byte_of_the_fill(void) {
    clear();
    undefine(0, 64);
    memset(memory + 8, 'a', 8); /* and one byte more that was there before */
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 1).bits, 0);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, ~0ull);
    CHECK_EQUAL(__whence_value_load(ARENA + 24, 8).bits, ~0ull);
    undefine(0, 64);
    memset(memory + 8, 'a', 8);
    CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).bits, 0);
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, 0);
}

static void what_a_store_leaves_of_a_word_keeps_its_origin(void) {
    clear();
    uint64_t lower = 0xffffffffull, upper = lower << 32;
    __whence_value_undefine(ARENA, 8, OTHER);
    store(4, 4, 7, 0, 0);
    struct whence_bits found = __whence_value_load(ARENA, 8);
    CHECK_EQUAL(found.bits, lower);
    CHECK_EQUAL(found.origin, OTHER);
    __whence_value_undefine(ARENA, 8, OTHER);
    store(0, 4, 7, 0, 0); /* the origin is lost: both may have been there */
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, upper);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).origin, 0);
    __whence_value_undefine(ARENA, 16, OTHER);
    store(0, 4, 7, 0, 0); /* but the next granule has it */
    CHECK_EQUAL(__whence_value_load(ARENA, 8).origin, OTHER);
}

/* The constants of all images are looked through for one that agrees with what is left. */
static void a_store_leaves_what_one_constant_agrees_with(void) {
    static const struct {
        size_t at, size;
        uint64_t bits;
    } cases[] = {{1, 1, ~0xff00ull},      {2, 1, ~0xff0000ull},         {0, 2, ~0xffffull},
                 {1, 2, ~0xffff00ull},    {3, 2, ~0xffff000000ull},     {0, 5, ~0xffffffffffull},
                 {0, 6, 0 /* too few */}, {2, 5, 0 /* no sign of it */}};
    for (int round = 0; round < 2; round++) /* the second time from memory */
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            clear();
            __whence_value_undefine(ARENA + 8, 8, OTHER);
            store(8 + cases[i].at, cases[i].size, 0x2020202020202020ull, 0, 0);
            CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).bits, cases[i].bits);
        }
    clear();
    __whence_value_undefine(ARENA + 8, 8, OTHER);
    memory[8] ^= 0x7f; /* unseen: the kept bytes are none of a constant */
    store(9, 1, 7, 0, 0);
    CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).bits & 0xffff, 0);
}

/* A page of the stack is mapped, as far as it is used; that of another mapping may not be. */
static void the_next_page_of_the_stack_has_the_origin(void) {
    static const uint64_t defined = 7;
    _Alignas(8) uint8_t room[2 * OS_PAGE];
    uintptr_t granule = wh_round_down((uintptr_t)room + OS_PAGE, OS_PAGE) - 8;
    CHECK(granule >= (uintptr_t)room);
    for (int used = 0; used < 2; used++) {
        thread_self.stack.high = used ? (uintptr_t)room + sizeof room : 0;
        __whence_value_undefine(granule, 16, OTHER);
        memcpy((void *)granule, &defined, 4);
        __whence_value_store(granule, 4, 0, 0);
        CHECK((__whence_value_load(granule, 8).origin == OTHER) == used);
    }
    __whence_value_define(granule, 16);
    thread_self.stack.high = 0;
}

static void origins_of_stacks(void) {
    uint64_t pcs[4] = {0};
    for (uint64_t i = 1; i < 3000; i++) {
        pcs[0] = i;
        uint32_t stack = depot_put(pcs, 4, i * 0x9e3779b97f4a7c15ull);
        uint64_t origin = origin_of_stack(stack);
        CHECK_EQUAL(origin_stack(origin), stack);
        CHECK(origin_fills(origin_fill(origin)));
        CHECK(origin >> WH_ORIGIN_BITS == 0);
    }
    CHECK_EQUAL(origin_of_stack(0), 0);
    CHECK_EQUAL(origin_stack(0), 0);
    CHECK_EQUAL(origin_of_stack(~0u), 0); /* more than the digits hold */
    CHECK(origin_fills(origin_fill(0)));
    CHECK(!origin_fills(origin_fill(8)));
    CHECK(!origin_fills(origin_fill(VARIABLE + 4)));
    CHECK(!origin_fills(VARIABLE));
    CHECK(!origin_fills(~0ull));
    for (int i = 0; i < 1000; i++) {
        uint64_t word = origin_fill((unit_random() & 0xffffffffffull) | WH_STACK_ORIGIN);
        CHECK_EQUAL(origin_fills(word), origin_stack(word & ORIGIN_MASK) != 0);
    }
}

static void numbers_with_zeros_are_no_fill(void) {
    const uint64_t number = (uint64_t)WH_FILL << WH_FILL_SHIFT; /* 2/3 to 16 binary digits */
    clear();
    CHECK(!origin_fills(number));
    __whence_value_undefine(ARENA, 24, 0);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, ~0ull);
    memcpy(memory, &number, sizeof number);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, 0);
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, ~0ull);
    store(16, 8, number, ~0ull, 0); /* the program's own undefined value that looks like it */
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, ~0ull);
}

static void forgotten_bytes_stay(void) {
    clear();
    memset(memory, 'a', 32);
    values_forget(ARENA + 3, 20, OTHER);
    CHECK_EQUAL(memory[3], 'a');
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, ~0ull << 24);
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, ~0ull >> 8);
    CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).origin, OTHER);
    memory[8] = 'b';
    CHECK_EQUAL(__whence_value_load(ARENA + 8, 8).bits, 0);
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, ~0ull >> 8);
}

static void big_ranges_are_defined(void) {
    size_t size = 64ull << 20;
    uintptr_t begin = ARENA + (1ull << 30);
    void *made = mmap((void *)begin, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(made == (void *)begin);
    __whence_value_undefine(begin, size, VARIABLE);
    CHECK_EQUAL(values_first(begin, size), begin);
    __whence_value_define(begin + 12345, size - 2 * 12345);
    CHECK_EQUAL(values_first(begin + 12345, size - 12345), begin + size - 12345);
    CHECK_EQUAL(__whence_value_load(begin + 12344, 2).bits, 0xff);
    munmap(made, size);
}

static void pages_without_room_are_defined(void) {
    size_t missing = 0;
    for (uintptr_t page = 1; page < 3000; page++) {
        struct detail *detail = details_at(page << 12);
        if (!detail) {
            missing++;
            continue;
        }
        CHECK_EQUAL(detail->value, 0);
        detail->value = page;
        CHECK(detail == details_at(page << 12));
        CHECK(detail + 511 == details_at((page << 12) + 4088));
    }
    CHECK_EQUAL(missing, 0);
}

/* ---- more than one at a time ---- */

static void a_granule_that_is_never_let_go_is_defined(void) {
    clear();
    undefine(0, 32);
    *granule_state(ARENA) = *granule_state(ARENA + 8) = WH_VALUES_BUSY;
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, 0);
    CHECK_EQUAL(*granule_state(ARENA), WH_VALUES_DEFINED);
    store(8, 2, 1, 0, 0);
    CHECK_EQUAL(*granule_state(ARENA + 8), WH_VALUES_DEFINED);
    CHECK_EQUAL(__whence_value_load(ARENA + 16, 8).bits, ~0ull);
}

#define ROUNDS 60000

/* Four bytes of a granule each, which the caller alone uses. */
static void use_half(unsigned half, uint64_t seed) {
    uint32_t bits = 0;
    for (int round = 0; round < ROUNDS; round++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uintptr_t at = ARENA + 8 * half;
        switch (seed >> 60) {
        case 0:
        case 1:
        case 2:
        case 3:
            *(volatile uint32_t *)at = (uint32_t)(seed >> 20);
            bits = seed >> 59 & 1 ? (uint32_t)(seed >> 10) : 0;
            __whence_value_store(at, 4, bits, VARIABLE);
            break;
        case 4:
            __whence_value_undefine(at, 4, VARIABLE);
            bits = ~0u;
            break;
        case 5:
            *(volatile uint8_t *)at = (uint8_t)seed;
            __whence_value_define(at, 1);
            bits &= ~0xffu;
            break;
        default: CHECK_EQUAL(__whence_value_load(at, 4).bits & ~(uint64_t)bits, 0);
        }
    }
}

static void *use_low(void *seed) {
    use_half(0, (uintptr_t)seed);
    return NULL;
}

static void *use_high(void *seed) {
    for (int round = 0; round < ROUNDS; round++) {
        uintptr_t at = ARENA + 4;
        uint64_t bits = (uint64_t)round % 3 ? 0 : 0xff00;
        *(volatile uint32_t *)at = (uint32_t)round;
        __whence_value_store(at, 4, bits, VARIABLE);
        CHECK_EQUAL(__whence_value_load(at, 4).bits & ~bits, 0);
    }
    return seed;
}

static void threads_share_a_granule(void) {
    clear();
    pthread_t low, high;
    CHECK(!pthread_create(&low, NULL, use_low, (void *)7));
    CHECK(!pthread_create(&high, NULL, use_high, NULL));
    pthread_join(low, NULL);
    pthread_join(high, NULL);
}

static volatile unsigned arrived;

static void on_alarm(int number) {
    (void)number;
    uintptr_t at = ARENA + 4;
    *(volatile uint32_t *)at = ++arrived;
    __whence_value_store(at, 4, 0, 0);
    CHECK_EQUAL(__whence_value_load(at, 4).bits, 0);
}

static void a_signal_comes_in_between(void) {
    clear();
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    use_half(0, 11);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(arrived > 0);
}

static void *use_for_ever(void *unused) {
    for (;;) {
        __whence_value_store(ARENA, 4, 1, VARIABLE);
        __whence_value_store(ARENA, 4, 0, 0);
    }
    return unused;
}

static void a_child_goes_on(void) {
    pthread_t thread;
    clear();
    CHECK(!pthread_create(&thread, NULL, use_for_ever, NULL));
    for (int round = 0; round < 50; round++) {
        pid_t child = fork();
        if (!child) {
            __whence_value_store(ARENA + 4, 4, 0xff, VARIABLE);
            __whence_value_store(ARENA, 8, 0, 0);
            _exit(__whence_value_load(ARENA, 8).bits != 0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_EQUAL(status, 0);
    }
}

static void another_image_may_have_constants_elsewhere(void) {
    uint64_t origin = (uint64_t)(uintptr_t)&late.head;
    CHECK(!origin_is_valid(origin));
    late.head.magic = WHENCE_UNDEFINED_MAGIC;
    CHECK(!origin_is_valid(origin)); /* it is not looked at each time */
    loads++;
    CHECK(origin_is_valid(origin));
}

int main(void) {
    uintptr_t begin;
    size_t size;
    void *made = mmap((void *)ARENA, SIZE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(made == memory);
    CHECK_EQUAL(depot_init(&begin, &size), 0);
    CHECK_EQUAL(__whence_value_load(ARENA, 8).bits, 0); /* not yet on */
    CHECK_EQUAL(values_init(&begin, &size), 0);
    origins_of_stacks();
    all_that_is_seen_is_known_bit_by_bit();
    what_unseen_code_wrote_is_defined();
    other_is_loaded = 1;
    a_write_may_have_bytes_of_what_was_there();
    a_write_may_end_with_a_byte_of_the_fill();
    what_a_store_leaves_of_a_word_keeps_its_origin();
    a_store_leaves_what_one_constant_agrees_with();
    the_next_page_of_the_stack_has_the_origin();
    another_image_may_have_constants_elsewhere();
    numbers_with_zeros_are_no_fill();
    forgotten_bytes_stay();
    big_ranges_are_defined();
    pages_without_room_are_defined();
    a_granule_that_is_never_let_go_is_defined();
    threads_share_a_granule();
    a_signal_comes_in_between();
    a_child_goes_on();
    return 0;
}
