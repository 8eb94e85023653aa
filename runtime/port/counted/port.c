/* The functions of port/port.h for the library that counts, and its start. */
#include "../port.h"
#include "../../count/count.h"
#include "../../os/os.h"
#include "../../os/text.h"
#include "../../process/thread.h"
#include "../../profile/profile.h"
#include "../../record/record.h"
#include "../../settings/environment.h"
#include "../../settings/options.h"
#include "../../stacks/depot.h"

#include <errno.h>
#include <pthread.h>

static pthread_key_t end_key;
static int end_key_made;

_Noreturn void port_give_up(const struct text *why) { text_give_up(why); }

/* ---- start ---- */

static void read_options(const char *environment, size_t size, void *unused) {
    (void)unused;
    TEXT(error, 512);
    if (!options_read(environment, size, &error)) text_give_up(&error);
}

/* What the runtime has at addresses of its own. */
static int reserve(void) {
    uintptr_t begin;
    size_t size;
    return depot_init(&begin, &size) >= 0 &&
           os_reserve(WH_PRIVATE_BASE, WH_PRIVATE_SIZE, OS_READ_WRITE) >= 0;
}

void port_start(void) {
    static int begun, noted;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) {
        while (!__atomic_load_n(&rt_ready, __ATOMIC_ACQUIRE)) os_sleep_us(10);
        return;
    }
    os_environment(read_options, NULL);
    thread_init_main();
    int counts = reserve();
    __atomic_store_n(&rt_ready, 1, __ATOMIC_RELEASE);
    record_open(1);
    if (counts && count_begin())
        profile_begin();
    else
        rt_note(&noted, "the heap of a process was not counted: its address space has no room for "
                        "the tables (ulimit -v)");
}

/* ---- threads ---- */

static void end_thread(void *thread) { thread_give_memo(thread); }

/* The C library allocates in here, which is not the program's. */
START_CODE void count_thread(struct thread *thread, const struct frame *frame) {
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t size = 0;
    int saved = errno;
    thread->hooking = 1;
    thread->tid = os_thread();
    thread->stack = (struct stack_bounds){(uintptr_t)frame, (uintptr_t)(frame + 1)};
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &begin, &size) == 0)
            thread->stack = (struct stack_bounds){(uintptr_t)begin, (uintptr_t)begin + size};
        pthread_attr_destroy(&attributes);
    }
    if (end_key_made) pthread_setspecific(end_key, thread);
    thread->hooking = 0;
    errno = saved;
}

/* ---- fork, and the end ---- */

static void before_fork(void) {
    record_fork_begins();
    thread_lock_memos();
}

static void forked(void) {
    thread_unlock_memos();
    os_forked();
    profile_forked();
    record_fork_arrives();
}

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    thread_here();
    end_key_made = pthread_key_create(&end_key, end_thread) == 0;
    pthread_atfork(before_fork, thread_unlock_memos, forked);
    if (!options.children) environment_restore(environment);
}

__attribute__((destructor)) static void end(void) { record_finish(); }
