/* The process before `main`: executions are paths (symbolic/paths.h), and most of them run in one
 * process, which goes back to its begin (symbolic/rewind.h). Between two executions it looks at
 * what the last one did, and makes the next input itself: the driver hears of what is of interest
 * only. An execution of which that cannot be undone ends with its process, and its parent does the
 * same.
 */
#include "fuzz.h"
#include "area.h"
#include "change.h"
#include "pairs.h"
#include "../include/whence/edges.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../process/outside.h"
#include "../port/port.h"
#include "../record/record.h"
#include "../settings/options.h"
#include "../symbolic/paths.h"
#include "../symbolic/processor.h"
#include "../symbolic/rewind.h"
#include "../symbolic/undo.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*after_fork)(void);

void fuzz_init(void (*forked)(void)) { after_fork = forked; }

static _Noreturn void refuse(const char *why) {
    TEXT(message, 256);
    text_put(&message, "fuzzing: ");
    text_put(&message, why);
    text_give_up(&message);
}

/* ---- findings ---- */

/* What the record held before `main`. */
static uint8_t fresh[WH_RECORD_HEADER_SIZE];

static struct wh_record_header *record(void) {
    uintptr_t begin;
    size_t size;
    return record_mapped(&begin, &size) ? (struct wh_record_header *)begin : NULL;
}

static void keep_record(void) {
    struct wh_record_header *header = record();
    if (!header) refuse("there is no record of findings");
    wh_copy(fresh, header, sizeof fresh);
}

static void empty_record(void) {
    struct wh_record_header *header = record();
    uint64_t used = header->used < header->capacity ? header->used : header->capacity;
    wh_fill((char *)header + sizeof fresh, 0, used - sizeof fresh);
    wh_copy(header, fresh, sizeof fresh);
}

static int is_known(uint64_t key) {
    const uint64_t *keys = AREA(WH_FUZZ_KEYS_AT);
    for (uint64_t i = 0; i < area_control()->keys; i++)
        if (keys[i] == key) return 1;
    return 0;
}

/* The first finding that is not known; 0: there is none. `known`: the first one that is. */
static uint64_t new_finding(uint64_t *known) {
    const struct wh_record_header *header = record();
    uint64_t used = header->used < header->capacity ? header->used : header->capacity;
    *known = 0;
    if (!header->findings) return 0;
    for (uint64_t at = WH_RECORD_HEADER_SIZE; at + 8 <= used;) {
        const uint32_t *head = (const uint32_t *)((const char *)header + at);
        uint64_t key =
            head[0] == WH_RECORD_FINDING ? ((const struct wh_finding *)(head + 2))->key : 0;
        if (key && !is_known(key)) return key;
        if (!*known) *known = key;
        if (head[1] < 8) break;
        at += head[1];
    }
    return 0;
}

/* ---- inputs ---- */

/* The process's descriptor of the file that inputs are written to, and what it holds. */
struct kept {
    int file;
    uint64_t size;
};

static struct kept *kept(void) { return AREA(sizeof(struct wh_fuzz)); }

_Static_assert(sizeof(struct wh_fuzz) % 8 == 0, "alignment");

static void place(void) {
    const struct wh_fuzz *control = area_control();
    uint64_t done = 0;
    while (done < control->input) {
        long count = os_call(SYS_pwrite64, kept()->file, (long)AREA(WH_FUZZ_INPUT_AT + done),
                             (long)(control->input - done), (long)done, 0, 0);
        if (count == -EINTR) continue;
        if (count <= 0) refuse("an input cannot be written to its file");
        done += (uint64_t)count;
    }
    if (kept()->size != control->input &&
        os_call(SYS_ftruncate, kept()->file, (long)control->input, 0, 0, 0, 0))
        refuse("an input cannot be written to its file");
    kept()->size = control->input;
    os_call(SYS_lseek, 0, 0, 0, 0, 0, 0);
}

static void begin_work(const struct wh_fuzz_work *work) {
    struct wh_fuzz *control = area_control();
    if (work->kind == WH_FUZZ_MORE) return;
    control->kind = work->kind;
    control->done = 0;
    control->most = work->most;
    control->traces = work->kind == WH_FUZZ_TRACE;
    if (work->kind == WH_FUZZ_SOLVE) {
        pairs_find_steps();
        if (control->steps < control->most) control->most = control->steps;
    }
}

/* Makes the next input; 0: the work has no more. */
static int next_input(void) {
    struct wh_fuzz *control = area_control();
    if (control->done >= control->most) return 0;
    switch (control->kind) {
    case WH_FUZZ_HAVOC: change_by_chance(); break;
    case WH_FUZZ_SOLVE: change_by_step(control->done); break;
    default: change_nothing();
    }
    control->done++;
    control->executions++;
    return 1;
}

/* ---- what an execution did ---- */

static int is_cut(const struct wh_fuzz_done *done) {
    return done->late || !WIFEXITED((int)done->status);
}

/* Whether the driver is to hear of it. */
static int judge(struct wh_fuzz_done *done) {
    struct wh_fuzz *control = area_control();
    uint64_t known;
    done->number = paths_now()->number;
    uint64_t key = new_finding(&known);
    int ended = !key && !known && is_cut(done), is_clean = !key && !known && !ended;
    unsigned found = area_look(&done->hash, is_clean);
    done->key = key ? key : known;
    done->flags |= key ? WH_FUZZ_IS_FINDING : 0u;
    done->flags |= ended ? WH_FUZZ_IS_ENDED : 0u;
    done->flags |= is_clean ? found : 0u;
    if (known) control->again++;
    if (known && !key) empty_record();
    if (control->done >= control->most) done->flags |= WH_FUZZ_IS_OVER;
    return (done->flags & ~WH_FUZZ_IS_APART) != 0 || paths_now()->begun >= control->until;
}

static int receive(int socket, struct wh_fuzz_work *work) {
    char *at = (char *)work;
    for (size_t size = sizeof *work; size;) {
        long count = os_receive(socket, at, size);
        if (count == -EINTR) continue;
        if (count <= 0) return 0;
        at += count, size -= (size_t)count;
    }
    return 1;
}

static int answer(int socket, const struct wh_fuzz_done *done) {
    return os_send(socket, done, sizeof *done) == sizeof *done;
}

/* A work without any input is over before it begins. */
static int take(int socket, struct wh_fuzz_work *work) {
    while (receive(socket, work)) {
        begin_work(work);
        if (next_input()) return 1;
        struct wh_fuzz_done done = {.number = work->number, .flags = WH_FUZZ_IS_OVER};
        if (!answer(socket, &done)) return 0;
    }
    return 0;
}

/* ---- one process for many executions ---- */

static void next_execution(int socket) {
    struct wh_fuzz_done done = {.pid = os_process(),
                                .status = (uint32_t)(rewind_status() & 0xFF) << 8};
    struct wh_fuzz_work work;
    uint64_t number = paths_now()->number, milliseconds = paths_now()->milliseconds;
    paths_end();
    if (judge(&done)) {
        if (!answer(socket, &done) || !take(socket, &work)) os_exit(0);
        number = work.number, milliseconds = work.milliseconds;
        processor_stay(work.processor);
    } else {
        next_input();
    }
    place();
    paths_begin(number, milliseconds, 0);
}

static void run_executions(int socket, int many, uint32_t processor) {
    int file = kept()->file;
    int again = many ? rewind_mark(&socket) : -1;
    if (again > 0) {
        next_execution(socket);
    } else {
        if (again < 0)
            os_close(socket);
        else if ((kept()->file = undo_keep(file)) < 0)
            refuse("there is no descriptor for inputs");
        else
            processor_stay(processor);
        os_close(file);
    }
    pairs_trace((int)area_control()->traces);
    area_clear();
    rewind_begin();
}

/* ---- the server ---- */

static void serve(int socket) {
    struct wh_fuzz_work work;
    int file = (int)options.fuzz_input;
    while (kept()->file = file, take(socket, &work)) {
        uint64_t number = work.number, milliseconds = work.milliseconds;
        for (int more = 1; more;) {
            place();
            paths_begin(number, milliseconds, 0);
            int many = paths_run_many();
            pid_t child = paths_fork(after_fork);
            if (!child) {
                outside_path();
                run_executions(socket, many, work.processor);
                return;
            }
            if (child < 0) refuse("there is no process for an execution");
            struct wh_explore_answer said = {0};
            paths_await(child, &said);
            kept()->file = file;
            if (!paths_was_cut()) break;
            area_control()->apart++;
            struct wh_fuzz_done done = {.pid = said.pid,
                                        .status = said.status,
                                        .late = said.late,
                                        .flags = WH_FUZZ_IS_APART};
            if (judge(&done)) {
                if (!answer(socket, &done)) os_exit(0);
                more = 0;
            } else {
                next_input();
            }
            number = paths_now()->number, milliseconds = paths_now()->milliseconds;
        }
    }
    os_exit(0);
}

WH_EXPORT void __whence_edges_begin(uintptr_t begin, uintptr_t end) {
    int socket = (int)options.explore, file = (int)options.fuzz;
    if (!file) return;
    if (!paths_reserve()) refuse("there is no memory for the state of an execution");
    if (!area_map(file, begin, end - begin)) refuse("the memory of the fuzzer cannot be mapped");
    os_close(file);
    keep_record();
    struct wh_fuzz_done hello = {.number = WH_FUZZ_HELLO, .pid = os_process()};
    if (!answer(socket, &hello)) os_exit(0);
    serve(socket);
}

WH_EXPORT int __whence_edges_input(uintptr_t begin, uintptr_t end, const uint8_t **bytes,
                                   uint64_t *size) {
    if (!options.fuzz) return 0;
    __whence_edges_begin(begin, end);
    *bytes = AREA(WH_FUZZ_INPUT_AT), *size = area_control()->input;
    return 1;
}
