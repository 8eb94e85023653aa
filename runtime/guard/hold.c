#include "hold.h"
#include "../os/mem.h"
#include "options.h"
#include "trap.h"

#include <linux/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

void hold_address(struct hold *hold, uintptr_t address) {
    if (!heap_contains(address) || hold->everything) return;
    struct block place = block_at(address);
    if (!place.slot || !guard_is_paged(place)) return;
    if (hold->count == HOLD_MOST) {
        hold->everything = 1;
        options_open_all();
        return;
    }
    if (!trap_open(place)) return;
    trap_filled(place);
    hold->places[hold->count++] = place;
}

void hold_release(struct hold *hold) {
    while (hold->count) trap_close(hold->places[--hold->count]);
    if (hold->everything) options_close_all();
}

/* ---- structures that arguments point to ---- */

/* A walk over words that tests once for each page whether it is readable. */
struct words {
    uintptr_t readable; /* the end of the page that was tested last */
};

static int is_readable(struct words *words, uintptr_t at) {
    if (at < words->readable && at + OS_PAGE >= words->readable) return 1;
    if (!os_readable(at)) return 0;
    words->readable = wh_round_down(at, OS_PAGE) + OS_PAGE;
    return 1;
}

/* Treats a word of the structure as a pointer, every `step` bytes. */
static void hold_words(struct hold *hold, uintptr_t at, uint64_t size, uint64_t step) {
    struct words words = {0};
    hold_address(hold, at);
    for (uintptr_t end = at + size; at < end && is_readable(&words, at); at += step)
        hold_address(hold, *(const wh_word *)at);
}

static void hold_vector(struct hold *hold, uintptr_t vector, uint64_t count) {
    hold_words(hold, vector, count * sizeof(struct iovec), sizeof(struct iovec));
}

static void hold_message(struct hold *hold, uintptr_t at) {
    hold_address(hold, at);
    if (!os_readable(at)) return;
    const struct msghdr *message = (const struct msghdr *)at;
    hold_address(hold, (uintptr_t)message->msg_name);
    hold_address(hold, (uintptr_t)message->msg_control);
    hold_vector(hold, (uintptr_t)message->msg_iov, message->msg_iovlen);
}

/* A vector of strings that a null pointer ends. */
static void hold_texts(struct hold *hold, uintptr_t at) {
    struct words words = {0};
    hold_address(hold, at);
    for (; at && is_readable(&words, at) && *(const wh_word *)at; at += sizeof(uint64_t))
        hold_address(hold, *(const wh_word *)at);
}

/* The size of the structure for requests whose number does not contain it. */
#define OLD_REQUEST 128u

static void hold_request(struct hold *hold, uint64_t request, uintptr_t at) {
    uint64_t size = _IOC_SIZE(request);
    hold_words(hold, at, size ? size : OLD_REQUEST, sizeof(uint64_t));
}

#define WAITS 24u /* struct futex_waitv: value, address, flags */

static void hold_nested(struct hold *hold, long number, const uint64_t *words) {
    switch (number) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_vmsplice:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev: hold_vector(hold, words[1], words[2]); break;
    case SYS_sendmsg:
    case SYS_recvmsg: hold_message(hold, words[1]); break;
    case SYS_sendmmsg:
    case SYS_recvmmsg:
        for (uint64_t i = 0; i < words[2] && i < HOLD_MOST; i++)
            hold_message(hold, words[1] + i * sizeof(struct mmsghdr));
        break;
    case SYS_execve:
        hold_texts(hold, words[1]);
        hold_texts(hold, words[2]);
        break;
    case SYS_execveat:
        hold_texts(hold, words[2]);
        hold_texts(hold, words[3]);
        break;
    case SYS_pselect6: hold_words(hold, words[5], sizeof(uint64_t), sizeof(uint64_t)); break;
    case SYS_futex_waitv:
        hold_words(hold, words[0] + sizeof(uint64_t), words[1] * WAITS, WAITS);
        break;
    case SYS_ioctl: hold_request(hold, words[1], words[2]); break;
    default: break;
    }
}

void hold_call(struct hold *hold, long number, const uint64_t *words) {
    hold->count = 0;
    hold->everything = 0;
    for (int i = 0; i < 6; i++) hold_address(hold, words[i]);
    hold_nested(hold, number, words);
}
