/* Descriptors that are used after they were closed.
 *
 * Code that is not checked opens and closes descriptors, too. So the kernel decides: a step is
 * shown to rules only where the descriptor is not open (EBADF), and where checked code closed it
 * before and did not open it since. A child of vfork has the memory of its parent and descriptors
 * of its own: it changes nothing here, and is not judged.
 *
 * Programs close all numbers, whether open or not, before they execute another program. A close is
 * part of such a sweep if a loop counts the numbers (whence.instrument.calls.sweeps), or if the
 * thread's last close came from the same place and was of the next number or the one before.
 *
 * The C library never frees the three standard streams. For them the library decides as the kernel
 * does for descriptors: one that is closed has no descriptor, until it is opened again.
 */
#include "descriptors.h"
#include "threads.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <errno.h>

#define DESCRIPTORS 65536u /* those above are not followed */

enum state { UNKNOWN, OPEN, CLOSED };

static struct entry {
    struct descriptor life;
    uint32_t state;
    uint32_t fork; /* of which process: `forks` when it was closed */
} entries[DESCRIPTORS];

#define STREAMS 3u

static struct entry streams[STREAMS];

static WH_WRITTEN uint32_t owner; /* the process that entries are of */
static WH_WRITTEN uint32_t forks;
static int parted;

static __thread struct {
    int file;
    uint32_t stack;
} last_close = {-1, 0};

/* Of standard input, output and error, those that were not open when the program began. What is
 * done with such a number is meant for the stream that is missing, also where a file has had the
 * number meanwhile: programs give it back, and take another one. */
static WH_WRITTEN int missing[STREAMS];

void descriptors_begin(void) {
    for (int file = 0; !owner && file < (int)STREAMS; file++) missing[file] = !os_is_open(file);
    owner = os_process();
}

static void forked(void) {
    descriptors_begin();
    forks++;
    if (last_close.file >= 0) last_close.file = -1; /* what is not written is not copied */
}

const struct observer descriptors_observer = {.always = 1, .forked = forked};

void descriptors_part(void) { parted = 1; }

static struct entry *entry_of(int file) {
    if (file < 0 || (unsigned)file >= DESCRIPTORS || parted) return NULL;
    return owner == os_process() ? &entries[file] : NULL;
}

void descriptor_opened(int file, const struct frame *frame) {
    struct entry *entry = entry_of(file);
    if (!entry) return;
    struct thread *thread = thread_here();
    entry->life.opened_stack = port_stack(thread, frame);
    entry->life.opened_thread = thread->number;
    entry->life.opened_time = blocks_tick();
    entry->state = OPEN;
}

static void close_entry(struct entry *entry, uint32_t stack) {
    /* What is open without having been seen to be opened: code without checks opened it. */
    if (entry->state != OPEN) entry->life.opened_time = 0;
    entry->life.closed_stack = stack;
    entry->life.closed_thread = thread_here()->number;
    entry->life.closed_time = blocks_tick();
    entry->fork = forks;
    entry->state = CLOSED;
}

static WH_COLD void judge(const struct entry *entry, int file, int closing, const char *library,
                          const struct frame *frame) {
    if (entry->state != CLOSED || (closing && entry->fork != forks)) return;
    if (file < (int)STREAMS && missing[file]) return;
    struct descriptor life = entry->life;
    life.number = (uint32_t)file;
    struct context context = {0};
    context.event.point = WH_POINT_DESCRIPTOR;
    context.event.value = (uint64_t)file;
    context.event.other = 1;
    context.event.width = (uint64_t)closing;
    context.descriptor = &life;
    context.frame = frame;
    context.library = library;
    event_evaluate(&context);
}

void descriptor_closing(int file, const char *library, const struct frame *frame) {
    struct entry *entry = entry_of(file);
    if (!entry) return;
    int error = errno;
    uint32_t stack = port_stack(thread_here(), frame);
    int distance = file - last_close.file;
    int sweeps = last_close.file >= 0 && stack == last_close.stack && distance * distance == 1;
    last_close.file = file;
    last_close.stack = stack;
    if (os_is_open(file))
        close_entry(entry, stack);
    else if (!sweeps)
        judge(entry, file, 1, library, frame);
    errno = error;
}

void descriptor_stream_closing(unsigned number, int file, const char *library,
                               const struct frame *frame) {
    struct entry *entry = number < STREAMS && entry_of(0) ? &streams[number] : NULL;
    if (!entry) return;
    int error = errno;
    if (file < 0) {
        judge(entry, (int)entry->life.number, 1, library, frame);
    } else {
        struct entry *of_file = entry_of(file);
        entry->state = of_file ? of_file->state : UNKNOWN;
        if (of_file) entry->life = of_file->life;
        entry->life.number = (uint32_t)file;
        close_entry(entry, port_stack(thread_here(), frame));
    }
    errno = error;
}

void descriptor_lost(int file, const struct frame *frame) {
    struct entry *entry = entry_of(file);
    int error = errno;
    if (entry && !os_is_open(file)) close_entry(entry, port_stack(thread_here(), frame));
    errno = error;
}

void descriptor_swept(int file, const struct frame *frame) {
    struct entry *entry = entry_of(file);
    if (entry && os_is_open(file)) close_entry(entry, port_stack(thread_here(), frame));
}

void descriptors_closing(unsigned first, unsigned last, const struct frame *frame) {
    if (!entry_of(0)) return;
    uint32_t stack = port_stack(thread_here(), frame);
    for (unsigned file = first; file <= last && file < DESCRIPTORS; file++)
        if (entries[file].state == OPEN) close_entry(&entries[file], stack);
}

void descriptor_missed(int file, const char *library, const struct frame *frame) {
    int error = errno;
    const struct entry *entry = entry_of(file);
    if (entry && !os_is_open(file)) judge(entry, file, 0, library, frame);
    errno = error;
}

void descriptor_refused(int file, const char *library, const struct frame *frame) {
    if (errno == EBADF) descriptor_missed(file, library, frame);
}

void descriptor_stream_refused(unsigned number, const char *library, const struct frame *frame) {
    int error = errno;
    const struct entry *entry = number < STREAMS && entry_of(0) ? &streams[number] : NULL;
    if (entry && error == EBADF) judge(entry, (int)entry->life.number, 0, library, frame);
    errno = error;
}
