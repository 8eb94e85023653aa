// A mutex is destroyed after it was released.
#include <pthread.h>
#include <stdlib.h>

struct session {
    pthread_mutex_t lock;
    int users;
};

static void leave(struct session *session) {
    pthread_mutex_lock(&session->lock);
    if (--session->users == 0) {
        pthread_mutex_unlock(&session->lock);
        pthread_mutex_destroy(&session->lock);
        free(session);
        return;
    }
    pthread_mutex_unlock(&session->lock);
}

int main(void) {
    struct session *session = malloc(sizeof *session);
    if (!session || pthread_mutex_init(&session->lock, NULL)) return 2;
    session->users = 2;
    leave(session);
    leave(session);
    return 0;
}
