/* Functions that make processes: where calls are kept, the answer of each stands for what it calls,
 * and where they are repeated, there is no other process. */
#include "../blocks/blocks.h"
#include "../calls/calls.h"
#include "../os/os.h"
#include "../rt/cage.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What happens between these two belongs to a function whose answer stands for it. */
static uint64_t standing_begin(void) {
    outside_paused++;
    return blocks_clock;
}

static void standing_end(unsigned kind, int64_t result, uint64_t began) {
    struct calls_answer answer = {result, blocks_clock - began};
    outside_paused--;
    calls_keep_answer(kind, &answer);
}

/* The answer of the first run, after as many events. */
static int stands_again(unsigned kind, struct calls_answer *answer) {
    if (!CALLS_REPEATED || !calls_answer_again(kind, answer)) return 0;
    if (!os_has_threads()) blocks_clock += answer->events;
    return 1;
}

#define STANDING(kind, call)                                                                       \
    do {                                                                                           \
        struct calls_answer again;                                                                 \
        if (stands_again(kind, &again)) return (__typeof__(call))without_error(again.result);      \
        uint64_t began = standing_begin();                                                         \
        __typeof__(call) result = (call);                                                          \
        standing_end(kind, with_error(result), began);                                             \
        return result;                                                                             \
    } while (0)

/* A child that goes on here has a file of its own, with what its parent did before: a second run
 * that is given it becomes that child. */
static void went_on(void) {
    if (CALLS_KEPT) outside_keep(WH_OUTSIDE_PROCESS, NULL, 0, os_process());
}

WH_EXPORT pid_t fork(void) {
    struct calls_answer again;
    if (stands_again(WH_CALLS_FORK, &again)) {
        if (!again.result) outside_forked_again();
        return (pid_t)without_error(again.result);
    }
    uint64_t began = standing_begin();
    pid_t child = REAL(fork)();
    standing_end(WH_CALLS_FORK, with_error(child), began);
    if (!child) went_on();
    return child;
}

int port_fork(void) { return REAL(fork)(); }

static int daemon_again(int stays, int keeps) {
    outside_forked_again();
    int nowhere = keeps ? -1 : os_open("/dev/null", OS_OPEN_READ_WRITE);
    for (int i = 0; nowhere >= 0 && i < 3; i++) dup2(nowhere, i);
    if (nowhere > 2) os_close(nowhere);
    return stays ? 0 : chdir("/");
}

WH_EXPORT int daemon(int stays, int keeps) {
    struct calls_answer again;
    if (stands_again(WH_CALLS_DAEMON, &again))
        return again.result ? (int)without_error(again.result) : daemon_again(stays, keeps);
    uint64_t began = standing_begin();
    int result = REAL(daemon)(stays, keeps);
    standing_end(WH_CALLS_DAEMON, with_error(result), began);
    if (!result) went_on();
    return result;
}

WH_EXPORT int system(const char *command) { STANDING(WH_CALLS_SYSTEM, REAL(system)(command)); }

/* ---- streams of processes ---- */

static FILE *stream_again(const char *mode, const struct calls_answer *answer) {
    if (answer->result < 0) return (void)without_error(answer->result), NULL;
    cage_stand_in((int)answer->result);
    uint64_t now = blocks_clock;
    outside_paused++;
    FILE *stream = fdopen((int)answer->result, *mode == 'w' ? "w" : "r");
    outside_paused--;
    if (!os_has_threads()) blocks_clock = now;
    return stream;
}

WH_EXPORT FILE *popen(const char *command, const char *mode) {
    struct calls_answer again;
    if (stands_again(WH_CALLS_POPEN, &again)) return stream_again(mode, &again);
    uint64_t began = standing_begin();
    FILE *stream = REAL(popen)(command, mode);
    standing_end(WH_CALLS_POPEN, stream ? fileno(stream) : -(int64_t)errno, began);
    return stream;
}

static void close_again(FILE *stream) {
    uint64_t now = blocks_clock;
    outside_paused++;
    fclose(stream);
    outside_paused--;
    if (!os_has_threads()) blocks_clock = now;
}

WH_EXPORT int pclose(FILE *stream) {
    struct calls_answer again;
    if (stands_again(WH_CALLS_PCLOSE, &again)) {
        close_again(stream);
        return (int)without_error(again.result);
    }
    uint64_t began = standing_begin();
    int result = REAL(pclose)(stream);
    standing_end(WH_CALLS_PCLOSE, with_error(result), began);
    return result;
}

/* ---- vfork ---- */

/* What vfork does: its child has this memory, so whatever it calls is left out. */
struct way {
    long kind; /* 0: the call; 1: the C library's function; 2: the answer */
    long answer;
};
struct way calls_before_vfork(void) __attribute__((visibility("hidden")));
long calls_behind_vfork(long result) __attribute__((visibility("hidden")));
pid_t (*calls_vfork)(void) __attribute__((visibility("hidden")));

struct way calls_before_vfork(void) {
    struct calls_answer again;
    if (!calls_vfork) calls_vfork = REAL(vfork);
    if (stands_again(WH_CALLS_VFORK, &again))
        return (struct way){2, (long)without_error(again.result)};
    if (!CALLS_KEPT) return (struct way){1, 0};
    standing_begin();
    return (struct way){0, 0};
}

long calls_behind_vfork(long result) {
    standing_end(WH_CALLS_VFORK, result, blocks_clock);
    return (long)without_error(result);
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "  .cfi_startproc\n"
        "  subq $8, %rsp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  call calls_before_vfork\n"
        "  addq $8, %rsp\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  cmpq $1, %rax\n"
        "  je 1f\n"
        "  ja 2f\n"
        "  popq %rdi\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  .cfi_register rip, rdi\n"
        "  movl $58, %eax\n"
        "  syscall\n"
        "  pushq %rdi\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  .cfi_offset rip, -8\n"
        "  testq %rax, %rax\n"
        "  jz 3f\n"
        "  movq %rax, %rdi\n"
        "  subq $8, %rsp\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  call calls_behind_vfork\n"
        "  addq $8, %rsp\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "3:\n"
        "  ret\n"
        "1:\n"
        "  jmp *calls_vfork(%rip)\n"
        "2:\n"
        "  movq %rdx, %rax\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size vfork, .-vfork\n");
