#include "server.h"
#include "covered.h"
#include "expressions.h"
#include "inputs.h"
#include "memory.h"
#include "processor.h"
#include "rewind.h"
#include "standing.h"
#include "trace.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../process/outside.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a request: the trace, standard input, output and error. */
#define DESCRIPTORS 4

/* Requests that fit into the room need no mapping. */
#define ROOM 16384u

struct request {
    struct wh_explore_request head;
    char *bytes;
    int files[DESCRIPTORS];
    char room[ROOM];
};

/* What a path and the process that has forked it know of each other. state: a path runs, none does,
 * or it is killed for its time. begun: in microseconds. ended: how many have ended in this process,
 * without an end of the process. */
enum { RUNS, IDLE, KILLED };
struct run {
    uint32_t state, ended;
    uint64_t number, milliseconds, begun;
    uint32_t flags;
};

static struct run *run(void) { return STANDING(STANDING_RUN); }

/* A process whose first path could not be rewound has cost more than a fork. After some of them in
 * a row, paths have processes of their own for a while. */
#define LONELY_MOST 3u
#define APART 64u

static _Noreturn void refuse(const char *why, const char *name) {
    TEXT(message, 512);
    text_put(&message, "exploration: ");
    text_put(&message, why);
    text_put(&message, name);
    text_give_up(&message);
}

/* ---- requests ---- */

static int receive_all(int socket, void *to, size_t size) {
    for (char *at = to; size;) {
        long count = os_receive(socket, at, size);
        if (count == -EINTR) continue;
        if (count <= 0) return 0;
        at += count, size -= (size_t)count;
    }
    return 1;
}

static void take_files(struct msghdr *message, struct request *request) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t size = part->cmsg_len - CMSG_LEN(0);
        wh_copy(request->files, CMSG_DATA(part),
                size < sizeof request->files ? size : sizeof request->files);
    }
}

/* The head of a request, with the descriptors that come along. 0 at the end. */
static int receive_head(int socket, struct request *request) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof request->files)];
    } control;
    struct iovec part = {&request->head, sizeof request->head};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return 0;
    take_files(&message, request);
    return receive_all(socket, (char *)&request->head + count,
                       sizeof request->head - (size_t)count);
}

/* Descriptors that come along are the server's own from then on, so paths inherit them. */
static void adopt(const struct request *request) {
    const int *files = request->files;
    if (files[0] >= 0 && !trace_map(files[0])) refuse("the trace cannot be mapped", "");
    if (files[0] >= 0 && !covered_map(files[0])) refuse("the lines cannot be shared", "");
    for (int i = 1; i < DESCRIPTORS; i++)
        if (files[i] >= 0) dup2(files[i], i - 1);
    for (int i = 0; i < DESCRIPTORS; i++)
        if (files[i] >= DESCRIPTORS - 1) os_close(files[i]);
}

static int receive(int socket, struct request *request) {
    request->bytes = request->room;
    for (int i = 0; i < DESCRIPTORS; i++) request->files[i] = -1;
    if (!receive_head(socket, request)) return 0;
    adopt(request);
    if (request->head.bytes > sizeof request->room)
        request->bytes = (char *)os_map(wh_round_up(request->head.bytes, OS_PAGE));
    if (!request->bytes) refuse("no memory for a request", "");
    return receive_all(socket, request->bytes, request->head.bytes);
}

static void release(const struct request *request) {
    if (request->bytes != request->room)
        os_unmap((uintptr_t)request->bytes, wh_round_up(request->head.bytes, OS_PAGE));
}

/* ---- a path ---- */

static void begin_path(const struct request *request, char **arguments, char **environment) {
    const char *name = "";
    if (!inputs_take(request->bytes, request->head.bytes, request->head.objects))
        refuse("a request is malformed", "");
    if (!(request->head.flags & WH_REQUEST_QUIET)) trace_open();
    if (!inputs_place(arguments, environment, &name)) refuse("there is no place for ", name);
}

static void note_run(const struct request *request) {
    struct run *now = run();
    now->number = request->head.number;
    now->milliseconds = request->head.milliseconds;
    now->flags = request->head.flags;
    now->begun = os_now_us();
    __atomic_store_n(&now->state, RUNS, __ATOMIC_RELEASE);
}

/* Of the end of a path and the end of its time one comes first. */
static int claim(uint32_t state) {
    uint32_t runs = RUNS;
    return __atomic_compare_exchange_n(&run()->state, &runs, state, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* Milliseconds until the time of the path may be over; -1: never, 0: it is. While none runs, it is
 * looked for one often enough. */
static int left(void) {
    const struct run *now = run();
    uint64_t most = now->milliseconds, gone = (os_now_us() - now->begun) / 1000;
    if (!most) return -1;
    if (__atomic_load_n(&now->state, __ATOMIC_ACQUIRE) == IDLE) return (int)(most / 4 + 1);
    return gone < most ? (int)(most - gone) : 0;
}

/* Waits for the end of the process, or of the time of the path that it runs. 0: that is over. */
static int ends_in_time(pid_t child) {
    int handle = (int)os_call(SYS_pidfd_open, child, 0, 0, 0, 0, 0);
    if (handle < 0) return 1;
    struct pollfd wait = {.fd = handle, .events = POLLIN};
    int ended = 0, over = 0;
    while (!ended && !over) {
        int most = left();
        ended = poll(&wait, 1, most) > 0;
        over = !ended && most == 0 && left() == 0 && claim(KILLED);
    }
    os_close(handle);
    return ended;
}

/* Whether a process sleeps: /proc says so behind its name, which may have parentheses. */
static int is_asleep(pid_t process) {
    TEXT(path, 64);
    char stat[512];
    text_put(&path, "/proc/");
    text_decimal(&path, (uint64_t)process);
    text_put(&path, "/stat");
    text_put_n(&path, "", 1);
    int file = os_open(path.begin, OS_OPEN_READ);
    if (file < 0) return 0;
    long size = os_read(file, stat, sizeof stat);
    os_close(file);
    for (long at = size - 3; at >= 0; at--)
        if (stat[at] == ')') return stat[at + 2] == 'S';
    return 0;
}

static void await(pid_t child, struct wh_explore_answer *answer) {
    int status = 0;
    if (!ends_in_time(child)) {
        answer->late = is_asleep(child) ? 2 : 1;
        os_signal_process((uint32_t)child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    answer->number = run()->number;
    answer->pid = (uint32_t)child;
    answer->status = (uint32_t)status;
}

/* What the path itself could not write. */
static void end_trace(const struct wh_explore_answer *answer) {
    int status = (int)answer->status;
    if (answer->late)
        trace_end_of_child(WH_END_LIMIT, 0);
    else if (WIFEXITED(status))
        trace_end_of_child(WH_END_EXIT, (uint64_t)WEXITSTATUS(status));
    else
        trace_end_of_child(WTERMSIG(status) == SIGABRT ? WH_END_ABORT : WH_END_SIGNAL,
                           (uint64_t)WTERMSIG(status));
}

/* Since glibc 2.34. */
extern pid_t _Fork(void) __attribute__((weak));

/* The only thread of a process holds no lock, and the program is not to see that a path is a child:
 * so neither locks are taken nor are handlers called, which would cost as much as the fork, in
 * pages that are touched. */
static pid_t fork_path(void (*forked)(void)) {
    if (os_has_threads() || !_Fork) return port_fork();
    pid_t child = _Fork();
    if (!child) forked();
    return child;
}

static int answer(int socket, const struct wh_explore_answer *said) {
    if (!(run()->flags & WH_REQUEST_QUIET)) end_trace(said);
    return os_send(socket, said, sizeof *said) == sizeof *said;
}

static int greet(int socket) {
    struct wh_explore_answer said = {.number = WH_EXPLORE_HELLO, .pid = os_process()};
    return os_send(socket, &said, sizeof said) == sizeof said;
}

/* ---- one process for many paths ---- */

/* A path has ended in this process, which takes the next one. */
static const struct request *next_request(int socket) {
    struct request *request = STANDING(STANDING_REQUEST);
    struct wh_explore_answer said = {.number = run()->number,
                                     .pid = os_process(),
                                     .status = (uint32_t)(rewind_status() & 0xFF) << 8};
    while (!claim(IDLE)) os_sleep_us(1000000); /* it is being killed */
    run()->ended++;
    if (!answer(socket, &said)) os_exit(0);
    if (request->bytes) release(request);
    if (!receive(socket, request)) os_exit(0);
    trace_forget();
    note_run(request);
    return request;
}

static void run_paths(int socket, const struct request *request, char **arguments,
                      char **environment, int many) {
    int again = many ? rewind_mark(&socket) : -1;
    if (again > 0) request = next_request(socket);
    if (again < 0)
        os_close(socket);
    else
        processor_stay((uint32_t)request->head.processor);
    begin_path(request, arguments, environment);
    rewind_begin();
}

/* Whether the next process is to run several paths, if it can. */
static int runs_many(uint32_t *lonely, uint32_t *apart) {
    if (*apart) return --*apart, 0;
    *lonely = run()->ended ? 0 : *lonely + 1;
    run()->ended = 0;
    if (*lonely <= LONELY_MOST) return 1;
    *lonely = 0, *apart = APART;
    return 0;
}

void server_run(int socket, char **arguments, char **environment, void (*forked)(void)) {
    static struct request request;
    uint32_t lonely = 0, apart = 0;
    memory_prepare((uintptr_t)&lonely);
    expressions_prepare();
    if (!rewind_reserve() || os_map_shared((uintptr_t)run(), -1, OS_PAGE, 0))
        refuse("no memory for the state of a path", "");
    int open = greet(socket);
    while (open && receive(socket, &request)) {
        int many = runs_many(&lonely, &apart);
        trace_forget();
        note_run(&request);
        pid_t child = fork_path(forked);
        if (!child) {
            outside_path();
            run_paths(socket, &request, arguments, environment, many);
            return;
        }
        if (child < 0) refuse("no process for a path", "");
        struct wh_explore_answer said = {0};
        await(child, &said);
        release(&request);
        if (__atomic_load_n(&run()->state, __ATOMIC_ACQUIRE) != IDLE) open = answer(socket, &said);
    }
    os_exit(0);
}
