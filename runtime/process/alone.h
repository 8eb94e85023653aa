/* Other libraries of whence in this process: two allocators would want the same addresses. */
#ifndef WHENCE_PROCESS_ALONE_H
#define WHENCE_PROCESS_ALONE_H

struct alone_pair {
    const char *own, *other; /* the paths of this library, and of another one */
};

/* Whether there is no other. */
int alone_is(struct alone_pair *pair);

#endif
