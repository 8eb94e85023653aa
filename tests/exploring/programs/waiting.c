/* Paths that wait for a signal, a socket and a thread, that run on, that take much memory, and that kill
 * the process that started them. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <whence/explore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *wait_for_it(void *nothing) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&never, &lock);
    return nothing;
}

int main(void) {
    char x;
    int sockets[2];
    pthread_t thread;
    whence_make_symbolic(&x, sizeof x, "x");
    switch (x) {
    case 'c': pause(); break;
    case 's':
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
        return read(sockets[0], &x, 1) == 1;
    case 't':
        pthread_create(&thread, NULL, wait_for_it, NULL);
        pthread_join(thread, NULL);
        break;
    case 'r':
        for (volatile int go = 1; go;) continue;
        break;
    case 'm':
        for (int i = 0; i < 1000; i++) memset(malloc(64 << 20), 1, 64 << 20);
        break;
    case 'k': kill((pid_t)syscall(SYS_getppid), SIGKILL); pause();
    }
    return 0;
}
