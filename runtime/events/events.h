/* What happens to the memory of the process and to its threads, and who observes it.
 *
 * Whoever makes, moves, frees or maps memory, starts threads or forks announces it here, and knows
 * none of those who observe it. An observer is a struct of functions; it leaves out those of events
 * that do not concern it, and listens from the start (`always`), from the moment on that a rule is
 * evaluated at one of its `points`, or from observers_listen on. Where nobody listens, an
 * announcement is one test.
 *
 * Observers are called on the thread on which the event happens, in the order of the product's
 * table (`port_observers` in port/<product>/observers.c).
 */
#ifndef WHENCE_EVENTS_EVENTS_H
#define WHENCE_EVENTS_EVENTS_H

#include <stdio.h>
#include <sys/uio.h>
#include "../alloc/heap.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "../stacks/unwind.h"

/* A block that a function has allocated for the caller of `frame`. `replaces`: the begin of a live
 * block that will be freed, since realloc moves it there; 0: none. */
struct made_block {
    uintptr_t begin;
    const struct heap_request *request;
    const struct frame *frame;
    uintptr_t replaces;
};

/* Live bytes of one block are to be copied to another one, by realloc. */
struct block_move {
    struct block from, to;
    uintptr_t begin, target;
    uint64_t size;
};

struct new_thread {
    void *(*function)(void *);
    void *argument;
    uint64_t stack_size;
    const struct frame *frame;
    uint8_t detached; /* it is made so */
    uint32_t node;    /* where the argument comes from, if origins are followed */
    uint16_t number;
};

/* What threads meet at. Those of C11 are the same objects. */
enum meeting_kind {
    MEET_MUTEX,
    MEET_SHARED,
    MEET_SPIN,
    MEET_CONDITION,
    MEET_SEMAPHORE,
    MEET_BARRIER
};

/* What a function does with it. MEET_TRY and MEET_UNTIL get a lock, or do not; those of MEET_SHARED
 * may get it together with others (`shares`). */
enum meeting_step {
    MEET_INIT,
    MEET_DESTROY,
    MEET_LOCK,
    MEET_TRY,
    MEET_UNTIL,
    MEET_UNLOCK,
    MEET_WAIT,
    MEET_SIGNAL
};

/* A call of a function of the C library, by checked code or other. `mutex`: with which a condition
 * variable is waited for. */
struct meeting {
    void *object, *mutex;
    const char *function;
    const struct frame *frame;
    uint8_t kind, step, shares, is_checked;
};

/* The same of a thread that is joined or detached. */
struct thread_parting {
    uint64_t thread; /* as pthread_self has it */
    uint32_t number; /* for observers, between `parts` and `parted` */
    const char *function;
    const struct frame *frame;
    uint8_t detaches, tries, is_checked; /* tries: it does not wait for ever */
};

/* In place of an offset: the bytes end where the file's own place is. */
#define TRANSFER_HERE UINT64_MAX

/* A call of a function of the C library that takes something from a stream, or parts of a text, in
 * checked code. */
struct intake {
    FILE *stream; /* NULL: none that is followed */
    const char *text;
    uint64_t kept[7]; /* of the observer that listens to `takes` */
};

/* What a scanf has stored of what it took. */
struct taken_part {
    const void *to;
    size_t size;
    int begin, end;     /* the bytes that it stands for; negative: it is not known which */
    uint8_t is_text;    /* it is a copy of them, with a 0 behind */
    uint8_t is_outside; /* they are not from a text of the program */
};

/* Bytes that have come from outside of the process, or have gone there: in parts of memory, one
 * after another, of which the first `size` bytes count. */
struct transfer {
    const char *function;
    const struct frame *frame;
    const struct iovec *parts;
    size_t count;
    int64_t size; /* negative: the call has failed */
    FILE *stream; /* NULL: of a descriptor */
    int file;     /* negative: nobody knows which */
    uint64_t offset;
    struct intake *intake; /* of a stream, as bytes come */
    uint8_t all;           /* the call has taken no other bytes from it */
    uint8_t is_apart;      /* it is a stream of C++, where chains are led by its wrapper */
    uint8_t made;          /* so many of the last parts are in no memory of the program */
    uint8_t is_argument;   /* the byte is the first argument of the call */
};

/* X(name, parameters, arguments) for each event.
 *
 *     made, freed       a block is new; a live block will be freed
 *     moves, moved      around the copy of a block
 *     resized           a live block stays where it is, with another size than the old one
 *     extended          the bytes of a block from `from` on are new
 *     renews            memory of the process will be mapped, mapped anew or no more, or is the
 *                       stack of a new thread
 *     mapped            memory is as the system makes it
 *     unmapped          it is mapped no more, or elsewhere
 *     creates, created  around the call that makes a thread, in its creator; `handle`: as
 *                       pthread_self has it, 0 if none was made
 *     begins, ends      in the thread, before and after functions of the program
 *     returns           its function has returned; `exits`: it leaves its functions by pthread_exit
 *     joined            a function of the program has got what a thread returned at `to`
 *     meets, met        around a call of a function that threads meet at, with its result
 *     parts, parted     around one that joins or detaches a thread; its error is negative where
 *                       the thread is cancelled meanwhile
 *     forked            this is the child
 *     finishes          the process ends, after its exit handlers
 *
 *     installs          a handler of signals is about to be installed
 *     handles           one begins
 *
 * Of functions of the C library that checked code calls:
 *
 *     arrived           bytes from outside are now in memory
 *
 *     departs           bytes are about to leave the process
 *
 *     shown             a part of a file is mapped
 *
 *     lent              the result points to a text from outside
 *
 *     takes             a call is about to take something from a stream, or parts of a text
 *
 *     taken             it has taken so many bytes (`all`; negative: it is not known how many), and
 *                       stored values of them
 *
 *     stored            one of these values
 *
 *     returned          the result is a byte from outside; `intake`: NULL for a stream of C++
 *
 *     undone            a byte will be put back to a stream
 *
 *     left              bytes have gone to the outside, or could not
 *
 *     parsed            the result is the number that the first `size` bytes of a text stand for
 *
 *     copied            bytes will be at `to` what they are at `from`, or are so already
 *
 *     filled            bytes are computed from nothing that is followed
 */
#define EVENTS(X)                                                                                  \
    X(made, (const struct made_block *block), (block))                                             \
    X(freed, (uintptr_t begin), (begin))                                                           \
    X(moves, (const struct block_move *move), (move))                                              \
    X(moved, (const struct block_move *move), (move))                                              \
    X(resized, (uintptr_t begin, uint64_t old, uint64_t size), (begin, old, size))                 \
    X(extended, (struct block block, uint64_t from, const struct frame *frame),                    \
      (block, from, frame))                                                                        \
    X(renews, (uintptr_t begin, uint64_t size), (begin, size))                                     \
    X(mapped, (uintptr_t begin, uint64_t size), (begin, size))                                     \
    X(unmapped, (uintptr_t begin, uint64_t size), (begin, size))                                   \
    X(creates, (struct new_thread * thread), (thread))                                             \
    X(created, (uint32_t number, uint64_t handle), (number, handle))                               \
    X(begins, (const struct new_thread *thread), (thread))                                         \
    X(returns, (const struct new_thread *thread, void *result), (thread, result))                  \
    X(exits, (void *result), (result))                                                             \
    X(ends, (void), ())                                                                            \
    X(joined, (const char *function, uint64_t thread, void **to), (function, thread, to))          \
    X(meets, (const struct meeting *meeting), (meeting))                                           \
    X(met, (const struct meeting *meeting, int result), (meeting, result))                         \
    X(parts, (struct thread_parting * parting), (parting))                                         \
    X(parted, (const struct thread_parting *parting, int error), (parting, error))                 \
    X(forked, (void), ())                                                                          \
    X(finishes, (void), ())                                                                        \
    X(installs, (void), ())                                                                        \
    X(handles, (void), ())                                                                         \
    X(arrived, (const struct transfer *transfer), (transfer))                                      \
    X(departs, (const char *function), (function))                                                 \
    X(shown, (const char *function, int file, uint64_t offset, uintptr_t at, uint64_t size),       \
      (function, file, offset, at, size))                                                          \
    X(lent, (const char *function, const struct frame *frame, const char *text),                   \
      (function, frame, text))                                                                     \
    X(takes, (const char *function, struct intake *intake), (function, intake))                    \
    X(taken, (const char *function, struct intake *intake, int all), (function, intake, all))      \
    X(stored,                                                                                      \
      (const char *function, const struct frame *frame, struct intake *intake,                     \
       const struct taken_part *part),                                                             \
      (function, frame, intake, part))                                                             \
    X(returned,                                                                                    \
      (const char *function, const struct frame *frame, struct intake *intake, uint8_t byte),      \
      (function, frame, intake, byte))                                                             \
    X(undone, (FILE * stream), (stream))                                                           \
    X(left, (const struct transfer *transfer), (transfer))                                         \
    X(parsed, (const char *function, const char *text, uint64_t size, uint64_t result),            \
      (function, text, size, result))                                                              \
    X(copied, (uintptr_t to, uintptr_t from, uint64_t size), (to, from, size))                     \
    X(filled, (uintptr_t to, uint64_t size), (to, size))

/* How many of the *left bytes are in a part; the others are left for those behind it. */
static inline size_t part_next(const struct iovec *part, size_t *left) {
    size_t size = part->iov_len < *left ? part->iov_len : *left;
    *left -= size;
    return size;
}

struct observer {
    uint8_t always;
    uint64_t points; /* bit (1 << WH_POINT_*) */
#define FIELD(name, parameters, arguments) void(*name) parameters;
    EVENTS(FIELD)
#undef FIELD
};

/* Has those that always listen called. At the start of the runtime. */
void observers_begin(void);
/* Rules are evaluated at these points. */
void observers_watch(uint64_t points);
/* From now on the observer's functions are called. */
void observers_listen(const struct observer *observer);

enum {
#define NUMBER(name, parameters, arguments) EVENT_##name,
    EVENTS(NUMBER)
#undef NUMBER
        EVENT_COUNT
};
/* Bit (1 << place in the table) for each observer that is called. */
extern uint32_t events_heard[EVENT_COUNT];

/* Whether somebody listens to an event that it takes work to announce. */
#define IS_HEARD(name) WH_UNLIKELY(__atomic_load_n(&events_heard[EVENT_##name], __ATOMIC_RELAXED))

#define ANNOUNCEMENT(name, parameters, arguments)                                                  \
    void events_##name parameters;                                                                 \
    static inline void announce_##name parameters {                                                \
        if (__atomic_load_n(&events_heard[EVENT_##name], __ATOMIC_RELAXED))                        \
            events_##name arguments;                                                               \
    }
EVENTS(ANNOUNCEMENT)
#undef ANNOUNCEMENT

#endif
