#include "threads.h"
#include "descriptors.h"
#include "meetings.h"
#include "../events/events.h"
#include "../process/gaps.h"
#include "../symbolic/failing.h"
#include "../process/start_main.h"
#include "../process/thread.h"
#include "../process/turns.h"
#include "../findings/described.h"
#include "../findings/finding.h"
#include "../process/kind.h"
#include "../settings/options.h"
#include "signals.h"
#include "../leak/leak.h"
#include "../os/os.h"
#include "../record/record.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <threads.h>

static uint32_t next_number = 1;
static pthread_key_t end_key;
static int end_key_made;

static main_function program_main;

static START_CODE int start_main(int argc, char **argv, char **environment) {
    thread_self.stack.high = (uintptr_t)FRAME_HERE;
    kind_stack_born();
    if (PORT_PLANES) gaps_begin(os_stack_limit());
    if (PORT_PLANES) failing_begin();
    int status = program_main(argc, argv, environment);
    thread_main_returned = 1;
    return status;
}

WH_EXPORT int __libc_start_main START_MAIN_PARAMETERS {
    program_main = main;
    return start_main_next(start_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- other threads ---- */

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static create_function next_create;

static void end_thread(void *unused) {
    (void)unused;
    struct thread *thread = &thread_self;
    if (thread->cache.state == HEAP_CACHE_CLOSED) return;
    heap_close(&thread->cache);
    thread_give_memo(thread);
    announce_ends();
}

/* Thread-local variables lie between the first frame and what pthread_self leads to. A thread that
 * has ended may have closed some. */
static void renew_locals(uintptr_t first_frame) {
    uintptr_t begin = wh_round_down(first_frame, 8 * WH_GRANULE);
    uintptr_t end = (uintptr_t)pthread_self();
    if (begin < end) announce_renews(begin, end - begin);
}

static START_CODE void *start_thread(void *argument) {
    struct new_thread start = *(struct new_thread *)argument;
    os_unmap((uintptr_t)argument, OS_PAGE);
    struct thread *thread = &thread_self;
    thread->tid = os_thread();
    thread->number = start.number;
    thread->stack.high = (uintptr_t)FRAME_HERE;
    thread->stack.low = thread->stack.high - start.stack_size;
    announce_mapped(thread->stack.low, start.stack_size); /* another thread may have had it */
    renew_locals(thread->stack.high);
    if (end_key_made) pthread_setspecific(end_key, thread);
    announce_begins(&start);
    void *result = start.function(start.argument);
    __asm__ volatile("" : "+r"(result)); /* no tail call, see start_main */
    announce_returns(&start, result);
    return result;
}

static uint16_t number_thread(void) {
    uint32_t again;
    if (TURNS_TAKEN && !TURNS_KEPT && turns_await(WH_TURN_THREAD, &again)) {
        __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
        turns_end();
        return (uint16_t)again;
    }
    uint32_t number = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
    if (number > UINT16_MAX) number = UINT16_MAX;
    if (TURNS_TAKEN && TURNS_KEPT) turns_keep(WH_TURN_THREAD, number);
    return (uint16_t)number;
}

/* What a stack needs beyond what the program asks for: the C library takes thread-local variables
 * from it, which the runtime has many of, checked frames are larger, and checks have frames of
 * their own. */
#define STACK_ROOM (256ul << 10)

/* The attributes of one thread, as the C library gets them. */
struct attributes {
    const pthread_attr_t *used;
    pthread_attr_t copy;
    int is_made; /* the copy is not of the program's, and is destroyed */
};

/* Whether memory of the program is too small for a stack with the thread-local variables of the
 * runtime at its end. The C library would refuse it, or leave so little that frames leave it. */
static int is_too_small(const pthread_attr_t *attributes, size_t size) {
    typedef size_t least_function(const pthread_attr_t *);
    static least_function *least;
    if (!least) least = (least_function *)(uintptr_t)dlsym(RTLD_NEXT, "__pthread_get_minstack");
    return least && size < least(attributes);
}

static int is_any_processor(const cpu_set_t *set) {
    const uint8_t *bytes = (const uint8_t *)set;
    for (size_t i = 0; i < sizeof *set; i++)
        if (bytes[i] != UINT8_MAX) return 0;
    return 1;
}

/* From 2.32 on; a C library without them has no such attribute. */
int pthread_attr_getsigmask_np(const pthread_attr_t *, sigset_t *) __attribute__((weak));
int pthread_attr_setsigmask_np(pthread_attr_t *, const sigset_t *) __attribute__((weak));

/* Sets all attributes but the stack: no function takes a place away from attributes. */
static void copy_but_stack(pthread_attr_t *to, const pthread_attr_t *from) {
    int value;
    struct sched_param parameters;
    cpu_set_t processors;
    if (!pthread_attr_getdetachstate(from, &value)) pthread_attr_setdetachstate(to, value);
    if (!pthread_attr_getscope(from, &value)) pthread_attr_setscope(to, value);
    if (!pthread_attr_getinheritsched(from, &value)) pthread_attr_setinheritsched(to, value);
    if (!pthread_attr_getschedpolicy(from, &value)) pthread_attr_setschedpolicy(to, value);
    if (!pthread_attr_getschedparam(from, &parameters)) pthread_attr_setschedparam(to, &parameters);
    if (!pthread_attr_getaffinity_np(from, sizeof processors, &processors) &&
        !is_any_processor(&processors))
        pthread_attr_setaffinity_np(to, sizeof processors, &processors);
    sigset_t signals;
    if (pthread_attr_getsigmask_np && !pthread_attr_getsigmask_np(from, &signals))
        pthread_attr_setsigmask_np(to, &signals);
}

static int replace_stack(struct attributes *attributes, size_t size) {
    static int noted;
    if (pthread_attr_init(&attributes->copy)) return 0;
    attributes->is_made = 1;
    copy_but_stack(&attributes->copy, attributes->used);
    if (pthread_attr_setstacksize(&attributes->copy, size)) return 0;
    rt_note(&noted, "the program's memory for a thread's stack is too small with the checks' "
                    "variables in it: the thread has another stack");
    return 1;
}

/* Copies the attributes with a larger stack, except where the stack is memory of the program that
 * is large enough. */
static void make_room(struct attributes *attributes) {
    void *low = NULL;
    size_t size = 0, larger;
    if (!attributes->used || pthread_attr_getstack(attributes->used, &low, &size)) return;
    if (__builtin_add_overflow(size, STACK_ROOM, &larger)) return;
    if (low && (uintptr_t)low + size) { /* its end is 0 where no address is set */
        if (!is_too_small(attributes->used, size) || !replace_stack(attributes, larger)) return;
    } else {
        attributes->copy = *attributes->used;
        if (pthread_attr_setstacksize(&attributes->copy, larger)) return;
    }
    attributes->used = &attributes->copy;
}

static uint64_t stack_size(const pthread_attr_t *attributes) {
    size_t size = 0;
    pthread_attr_t standard;
    if (attributes) {
        pthread_attr_getstacksize(attributes, &size);
    } else if (pthread_getattr_default_np(&standard) == 0) {
        pthread_attr_getstacksize(&standard, &size);
        pthread_attr_destroy(&standard);
    }
    return size;
}

static int is_detached(const pthread_attr_t *attributes) {
    int state;
    return attributes && !pthread_attr_getdetachstate(attributes, &state) &&
           state == PTHREAD_CREATE_DETACHED;
}

/* The C11 way: the same thread with another type of result. */
struct c11_start {
    int (*function)(void *);
    void *argument;
};

static START_CODE void *start_c11(void *argument) {
    struct c11_start start = *(struct c11_start *)argument;
    os_unmap((uintptr_t)argument, OS_PAGE);
    return (void *)(intptr_t)start.function(start.argument);
}

WH_EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    struct c11_start *start = (struct c11_start *)os_map(OS_PAGE);
    if (!start) return thrd_nomem;
    *start = (struct c11_start){function, argument};
    int result = pthread_create(thread, NULL, start_c11, start);
    if (!result) return thrd_success;
    os_unmap((uintptr_t)start, OS_PAGE);
    return result == ENOMEM ? thrd_nomem : thrd_error;
}

/* The thread may have freed what its creator's variable lies in, but then it has begun. */
static uint64_t handle_at(const pthread_t *thread) {
    pthread_t handle = 0;
    return os_copy(&handle, (uintptr_t)thread, sizeof handle) ? (uint64_t)handle : 0;
}

WH_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*function)(void *), void *argument) {
    thread_here();
    if (!next_create) next_create = (create_function)(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    struct new_thread *start = (struct new_thread *)os_map(OS_PAGE);
    if (!start) return EAGAIN;
    struct attributes roomy = {.used = attributes};
    make_room(&roomy);
    os_threaded = 1;
    *start = (struct new_thread){
        .function = function,
        .argument = argument,
        .stack_size = stack_size(roomy.used),
        .frame = FRAME_HERE,
        .detached = is_detached(attributes),
        .number = number_thread(),
    };
    uint32_t number = start->number;
    announce_creates(start);
    int result = next_create(thread, roomy.used, start_thread, start);
    announce_created(number, result || !IS_HEARD(created) ? 0 : handle_at(thread));
    if (roomy.is_made) pthread_attr_destroy(&roomy.copy);
    if (result) os_unmap((uintptr_t)start, OS_PAGE);
    return result;
}

/* ---- locking everything in memory ---- */

/* Would make terabytes of reserved addresses resident. */
WH_EXPORT int mlockall(int flags) {
    static int noted;
    (void)flags;
    rt_note(&noted, "mlockall has no effect while the program is checked");
    return 0;
}

/* ---- fork ---- */

/* Behind the name of the process, which is in parentheses, the 18th field says how many threads it
 * has. */
#define THREADS_FIELD 18u

static int has_other_threads(void) {
    char line[1024];
    if (!os_has_threads()) return 0;
    long size = os_read_file("/proc/self/stat", line, sizeof line - 1), at = size;
    while (at > 0 && line[at - 1] != ')') at--;
    for (unsigned field = 0; at > 0 && at < size && field < THREADS_FIELD; at++)
        field += line[at] == ' ';
    return at <= 0 || at + 1 >= size || line[at] != '1' || line[at + 1] != ' ';
}

static int others_before; /* whether the process that forks has threads that the child has not */

static void before_fork(void) {
    int others = has_other_threads();
    record_fork_begins();
    port_lock();
    leak_lock();
    finding_lock();
    others_before = others;
    heap_lock_all();
    thread_lock_memos();
    signals_lock();
    described_lock();
    port_lock_last();
}

static void unlock_all(void) {
    port_unlock_first();
    described_unlock();
    signals_unlock();
    thread_unlock_memos();
    heap_unlock_all();
    finding_unlock();
    leak_unlock();
    port_unlock();
}

void threads_forked(void) {
    os_forked();
    thread_self.tid = os_thread();
    announce_forked();
}

static void after_fork_in_child(void) {
    /* The other threads are not here; the slots in their caches stay unused. */
    unlock_all();
    threads_forked();
    if (others_before) leak_excuse_lost();
    record_fork_arrives();
}

void threads_init(void) {
    if (!next_create) next_create = (create_function)(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    end_key_made = pthread_key_create(&end_key, end_thread) == 0;
    if (end_key_made) pthread_setspecific(end_key, &thread_self); /* main may end by pthread_exit */
    meetings_begin();
    descriptors_begin();
    pthread_atfork(before_fork, unlock_all, after_fork_in_child);
}
