/* modules: process/turns os/os */
#include "../../../runtime/process/turns.h"
#include "../../../runtime/process/thread.h"
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What turns.c needs of the rest of the runtime. */
__thread struct thread thread_self;
int rt_ready = 1;
void port_start(void) {}

#define THREADS 3u
#define ROUNDS 500u

static struct whence_outside_header *header;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint8_t order[THREADS * ROUNDS + 1];
static unsigned count;

static struct whence_turn *turn(uint64_t at) {
    return (struct whence_turn *)((uintptr_t)header + WH_TURNS_AT) + at;
}

static void begin(int mode, uint32_t program) {
    count = 0;
    turns_forked();
    turns_begin(mode, header, program);
}

/* As intercept/turns.c does at a lock. */
static void come(void) {
    uint32_t before = 0;
    int kept = TURNS_KEPT, has = !kept && turns_await(WH_TURN_LOCK, &before);
    pthread_mutex_lock(&mutex);
    if (kept) turns_keep(WH_TURN_LOCK, thread_self.number);
    if (has) {
        CHECK_EQUAL(before, thread_self.number);
        turns_end();
    }
    order[count++] = (uint8_t)thread_self.number;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *number) {
    thread_self.number = (uint16_t)(uintptr_t)number;
    for (unsigned i = 0; i < ROUNDS; i++) {
        come();
        if (i % 50 == thread_self.number) os_sleep_us(50);
        turns_begin_heap();
        turns_end_heap();
    }
    return NULL;
}

static void run(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, work, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK_EQUAL(count, THREADS * ROUNDS);
}

static void the_order_is_repeated(void) {
    uint8_t first[sizeof order];
    begin(WH_OUTSIDE_KEEP, 0);
    run();
    CHECK_EQUAL(header->turns, 1 + 2 * THREADS * ROUNDS);
    memcpy(first, order, sizeof first);
    for (int i = 0; i < 3; i++) {
        begin(WH_OUTSIDE_REPEAT, 0);
        run();
        CHECK_EQUAL(memcmp(first, order, sizeof first), 0);
        CHECK_EQUAL(header->astray, 0);
    }
}

static void each_program_has_its_own(void) {
    uint32_t result = 0;
    begin(WH_OUTSIDE_KEEP, 1);
    turns_keep(WH_TURN_VALUE, 17);
    begin(WH_OUTSIDE_REPEAT, 1);
    CHECK_EQUAL(turns_await(WH_TURN_VALUE, &result), 1);
    CHECK_EQUAL(result, 17);
    turns_end();
    CHECK_EQUAL(turns_await(WH_TURN_VALUE, &result), 0); /* there are no more */
    CHECK_EQUAL(header->astray, 0);
    begin(WH_OUTSIDE_REPEAT, 2);
    CHECK_EQUAL(turns_await(WH_TURN_VALUE, &result), 0);
}

static void a_turn_that_has_begun_may_be_left(void) {
    begin(WH_OUTSIDE_REPEAT, 1);
    CHECK_EQUAL(turns_try(WH_TURN_ONCE), 0);
    CHECK_EQUAL(turns_try(WH_TURN_VALUE), 1);
    CHECK_EQUAL(turns_try(WH_TURN_VALUE), 0); /* within a turn there is none */
    turns_leave();
    CHECK_EQUAL(turns_try(WH_TURN_VALUE), 1);
    turns_end();
}

static void another_kind_ends_all_turns(void) {
    uint32_t result;
    begin(WH_OUTSIDE_REPEAT, 1);
    CHECK_EQUAL(turns_await(WH_TURN_LOCK, &result), 0);
    CHECK_EQUAL(header->astray, WH_ASTRAY_TURN);
    CHECK_EQUAL(turns_mode, WH_OUTSIDE_NONE);
    CHECK_EQUAL(turns_pause(), 0);
}

static void what_is_damaged_has_no_turns(void) {
    uint32_t result;
    header->astray = 0;
    header->turns = UINT64_MAX;
    turn(3)->kind = 0;
    begin(WH_OUTSIDE_REPEAT, 77);
    CHECK_EQUAL(turns_await(WH_TURN_LOCK, &result), 0);
    begin(WH_OUTSIDE_KEEP, 0);
    CHECK_EQUAL(header->astray, WH_ASTRAY_FULL);
    CHECK_EQUAL(turns_mode, WH_OUTSIDE_NONE);
}

int main(void) {
    header = mmap(NULL, WH_OUTSIDE_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK_EQUAL(header != MAP_FAILED, 1);
    os_threaded = 1;
    the_order_is_repeated();
    each_program_has_its_own();
    a_turn_that_has_begun_may_be_left();
    another_kind_ends_all_turns();
    what_is_damaged_has_no_turns();
    return 0;
}
