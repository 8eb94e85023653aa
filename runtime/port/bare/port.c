/* What `whence replay` preloads into a program without instrumentation, so that its blocks get the
 * addresses of a recorded run. The library consists of the allocator of checked processes and its
 * malloc (replace/); it has no rules, records, planes or stacks.
 *
 * It reads the same options as the runtime, from the same variable (WHENCE_RT, see abi/options.py),
 * and removes that from the environment as well. With equal options and equal requests in equal
 * order on every thread, both libraries return equal addresses: they share slots.c and heap.c, and
 * both close a thread's cache when the thread ends.
 */
#include "../port.h"
#include "../../alloc/reserve.h"
#include "../../blocks/block.h"
#include "../../events/events.h"
#include "../../os/text.h"
#include "../../os/trace.h"
#include "../../settings/environment.h"
#include "../../settings/options.h"
#include "../../process/outside.h"
#include "../../process/start_main.h"
#include "../../symbolic/failing.h"
#include "../../process/thread.h"

#include <pthread.h>

__thread struct thread thread_self;
int rt_ready;

static pthread_key_t end_key;
static int end_key_made;

void port_before_share(void) {}

void port_after_share(void) {}

/* ---- start ---- */

void port_no_range(const char *what, long result, uintptr_t begin, size_t size) {
    TEXT(message, 512);
    text_no_range(&message, what, result, begin, size);
    text_give_up(&message);
}

_Noreturn void port_give_up(const struct text *why) { text_give_up(why); }

static void read_options(const char *environment, size_t size, void *unused) {
    (void)unused;
    TEXT(error, 512);
    if (!options_read(environment, size, &error)) text_give_up(&error);
}

void port_start(void) {
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
        while (!__atomic_load_n(&rt_ready, __ATOMIC_ACQUIRE)) os_sleep_us(10);
        return;
    }
    os_environment(read_options, NULL);
    observers_begin();
    reserve_heap();
    outside_begin(NULL);
    __atomic_store_n(&rt_ready, 1, __ATOMIC_RELEASE);
}

/* ---- main ---- */

static main_function program_main;

static int start_main(int argc, char **argv, char **environment) {
    failing_begin();
    return program_main(argc, argv, environment);
}

int __libc_start_main START_MAIN_PARAMETERS;
WH_EXPORT int __libc_start_main START_MAIN_PARAMETERS {
    program_main = main;
    return start_main_next(start_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- threads ---- */

static void end_thread(void *thread) { heap_close(&((struct thread *)thread)->cache); }

static void begin_thread(struct thread *thread) {
    if (!end_key_made) return; /* the main thread, before constructors */
    thread->tid = 1;
    pthread_setspecific(end_key, thread);
}

/* This product stores no stacks. The first allocation of a thread calls this function before any
 * other, so the thread is set up here. */
uint32_t port_stack(struct thread *thread, const struct frame *frame) {
    (void)frame;
    if (WH_UNLIKELY(!thread->tid)) begin_thread(thread);
    return 0;
}

/* ---- debuggers ---- */

/* Waits at the start of the program if the options say so. */
static void await_debugger(void) {
    if (!options.attach_wait || os_traced()) return;
    TEXT(line, 200);
    text_put(&line, "process ");
    text_decimal(&line, os_process());
    text_put(&line, " waits ");
    text_decimal(&line, options.attach_wait);
    text_put(&line, " seconds for a debugger (gdb -p ");
    text_decimal(&line, os_process());
    text_put(&line, ")");
    text_complain(&line);
    os_helper_allow(OS_ANYBODY);
    for (uint64_t end = os_now_us() + options.attach_wait * 1000000;
         os_now_us() < end && !os_traced();)
        os_sleep_us(100000);
}

/* The answer of the function below, as in checked processes; what is not recorded is 0. */
__attribute__((used)) struct whence_debug_answer {
    struct whence_block block;
} whence_debug_answer;

/* The block that contains the address, or the nearest one. */
__attribute__((used, noinline)) void whence_debug_at(uint64_t address) {
    whence_debug_answer = (struct whence_debug_answer){0};
    block_read(block_nearest(address), &whence_debug_answer.block);
}

static void forked(void) {
    heap_unlock_all();
    announce_forked();
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    struct thread *thread = thread_here();
    end_key_made = pthread_key_create(&end_key, end_thread) == 0;
    begin_thread(thread);
    pthread_atfork(heap_lock_all, heap_unlock_all, forked);
    environment_restore(environment);
    await_debugger();
}
