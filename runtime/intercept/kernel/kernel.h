/* What calls of library functions and calls by number (raw.c) have in common. */
#ifndef WHENCE_INTERCEPT_KERNEL_KERNEL_H
#define WHENCE_INTERCEPT_KERNEL_KERNEL_H

#include "../check.h"
#include "../scatter.h"

#include <sys/socket.h>

/* ---- sockets.c: answers of at most *length bytes ---- */

struct answer {
    struct bounce bounce;
    socklen_t *length;
    socklen_t room;
};

struct answer answer_begin(struct site site, void *to, socklen_t *length);
void answer_end(struct site site, struct answer *answer, int is_given);

/* Checks the address of a socket: what its family means, and the kernel may store, is to be
 * defined. */
void check_address(struct site site, const void *address, size_t length);

/* ---- messages.c ---- */

/* A message that is received in place of the program's. */
struct substitute {
    struct msghdr *message; /* the program's; NULL: it is received itself */
    struct msghdr header;
    struct bounce name, control;
    struct scatter scatter;
};

/* The message to receive. Whoever calls these functions has checked the headers. */
struct msghdr *substitute_begin(struct site site, struct substitute *own, struct msghdr *message);
/* The kernel has received `count` bytes, or -1. */
void substitute_end(struct site site, struct substitute *own, ssize_t count);

/* The same for several messages, whose headers have several_size bytes. */
struct several {
    struct mmsghdr *messages, *headers; /* the program's, and those to receive */
    unsigned count;                     /* of the latter, where they are others */
};

size_t several_size(unsigned most);
struct several several_begin(struct site site, struct mmsghdr *messages, unsigned most);
void several_end(struct site site, struct several *several, int received);

/* The members of a header that the kernel reads. */
void check_header(struct site site, const struct msghdr *message);
void check_sent(struct site site, const struct msghdr *message);
void check_all_sent(struct site site, struct mmsghdr *messages, unsigned most);

/* ---- control.c ---- */

/* What an ioctl reads and stores to. */
void check_request(struct site site, unsigned long number, const void *argument);
/* What it has stored where its structure leads to. */
void request_done(struct site site, unsigned long number, const void *argument, int result);
void check_command(struct site site, int command, const void *argument);

/* ---- waiting.c ---- */

/* The size of a set of `count` files. */
size_t files_size(int count);

/* ---- programs.c ---- */

void check_vector(struct site site, char *const *vector);

#endif
