#include "server.h"
#include "covered.h"
#include "expressions.h"
#include "inputs.h"
#include "memory.h"
#include "paths.h"
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

static int answer(int socket, const struct wh_explore_answer *said) {
    if (!(paths_now()->flags & WH_REQUEST_QUIET)) end_trace(said);
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
    struct wh_explore_answer said = {.number = paths_now()->number,
                                     .pid = os_process(),
                                     .status = (uint32_t)(rewind_status() & 0xFF) << 8};
    paths_end();
    if (!answer(socket, &said)) os_exit(0);
    if (request->bytes) release(request);
    if (!receive(socket, request)) os_exit(0);
    trace_forget();
    paths_begin(request->head.number, request->head.milliseconds, request->head.flags);
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

void server_run(int socket, char **arguments, char **environment, void (*forked)(void)) {
    static struct request request;
    memory_prepare((uintptr_t)&socket);
    expressions_prepare();
    if (!paths_reserve()) refuse("no memory for the state of a path", "");
    int open = greet(socket);
    while (open && receive(socket, &request)) {
        int many = paths_run_many();
        trace_forget();
        paths_begin(request.head.number, request.head.milliseconds, request.head.flags);
        pid_t child = paths_fork(forked);
        if (!child) {
            outside_path();
            run_paths(socket, &request, arguments, environment, many);
            return;
        }
        if (child < 0) refuse("no process for a path", "");
        struct wh_explore_answer said = {0};
        paths_await(child, &said);
        release(&request);
        if (paths_was_cut()) open = answer(socket, &said);
    }
    os_exit(0);
}
