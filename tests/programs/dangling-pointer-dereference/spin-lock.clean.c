// A session is released while the spin lock in it is still used.
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

struct session {
    int users;
    pthread_spinlock_t lock;
};

static void session_put(struct session *s) {
    pthread_spin_lock(&s->lock);
    int last = --s->users == 0;
    pthread_spin_unlock(&s->lock);
    if (last)
        free(s);
}

int main(void) {
    struct session *s = malloc(sizeof *s);
    s->users = 1;
    pthread_spin_init(&s->lock, PTHREAD_PROCESS_PRIVATE);
    session_put(s);
    return 0;
}
