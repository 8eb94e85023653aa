/* The library that is preloaded into programs as they are, so that they get the heap addresses of a
 * recorded run: the allocator of checked processes and its malloc (intercept/malloc.c,
 * intercept/new.c), and nothing else. No rule, no record, no plane, no stack.
 *
 * It is told what the runtime is told (WHENCE_RT, see abi/options.py), and takes
 * that out of the environment again. Equal options and equal requests, in equal
 * order on every thread, give equal addresses in both libraries: slots.c and
 * heap.c are the same files, and a thread's cache ends with the same destructor.
 */
#include "../port.h"
#include "../../blocks/block.h"
#include "../../os/text.h"
#include "../../process/environment.h"
#include "../../process/options.h"
#include "../../process/thread.h"

#include <pthread.h>

__thread struct thread thread_self;
int rt_ready;

static pthread_key_t end_key;
static int end_key_made;

/* ---- start ---- */

static _Noreturn void no_range(const char *what, uintptr_t begin, size_t size) {
    TEXT(message, 256);
    text_put(&message, "cannot reserve the recorded addresses of the ");
    text_put(&message, what);
    text_put(&message, ", ");
    text_hex(&message, begin);
    text_put(&message, "-");
    text_hex(&message, begin + size);
    text_put(&message, ": something is mapped there, or the address space is limited "
                       "(ulimit -v unlimited)");
    text_give_up(&message);
}

static void read_options(const char *environment, size_t size, void *unused) {
    (void)unused;
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_OPTIONS_VARIABLE, &length);
    TEXT(error, 512);
    if (value && !options_parse(value, length, &options, &error)) text_give_up(&error);
}

void port_start(void) {
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
        while (!__atomic_load_n(&rt_ready, __ATOMIC_ACQUIRE)) os_sleep_us(10);
        return;
    }
    uintptr_t begin;
    size_t size;
    os_environment(read_options, NULL);
    blocks_reserved = wh_round_down(options.heap_start_kib << 10, OS_PAGE);
    uint32_t depth = (uint32_t)options.quarantine_depth;
    if (heap_init(options.quarantine_kib << 10, depth, &begin, &size) < 0)
        no_range("heap", begin, size);
    if (blocks_init(&begin, &size) < 0) no_range("block table", begin, size);
    __atomic_store_n(&rt_ready, 1, __ATOMIC_RELEASE);
}

/* ---- threads ---- */

static void end_thread(void *thread) { heap_close(&((struct thread *)thread)->cache); }

static void begin_thread(struct thread *thread) {
    if (!end_key_made) return; /* the main thread, before constructors */
    thread->tid = 1;
    pthread_setspecific(end_key, thread);
}

/* No stacks are kept, but here threads come by first. */
uint32_t port_stack(struct thread *thread, const struct frame *frame) {
    (void)frame;
    if (WH_UNLIKELY(!thread->tid)) begin_thread(thread);
    return 0;
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    struct thread *thread = thread_here();
    end_key_made = pthread_key_create(&end_key, end_thread) == 0;
    begin_thread(thread);
    pthread_atfork(heap_lock_all, heap_unlock_all, heap_unlock_all);
    environment_restore(environment);
}
