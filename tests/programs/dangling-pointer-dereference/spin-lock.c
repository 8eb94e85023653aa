// A session is released while the spin lock in it is still used.
// ASan misses this: it does not look at the object of the call
// RUN: cflags -pthread
#include <pthread.h>
#include <stdlib.h>

struct session {
    int users;
    pthread_spinlock_t lock;
};

static void session_put(struct session *s) {
    pthread_spin_lock(&s->lock);
    if (--s->users == 0)
        free(s); // FREE
    pthread_spin_unlock(&s->lock); // EXPECT dangling-pointer-dereference write 4 block 8 inside 4 in pthread_spin_unlock
}

int main(void) {
    struct session *s = malloc(sizeof *s); // ALLOC
    s->users = 1;
    pthread_spin_init(&s->lock, PTHREAD_PROCESS_PRIVATE);
    session_put(s);
    return 0;
}
