/* Every way to ask for memory, threads that take turns, children, and reuse after a full quarantine:
 * the address of each block goes to standard output. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, void *pointer) { printf("%s %p\n", what, pointer); }

static int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void take_turns(int self, int rounds) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != self) pthread_cond_wait(&changed, &lock);
        void *kept = malloc(40 + (size_t)self), *freed = malloc(3000);
        say(self ? "one" : "zero", kept);
        say("freed", freed);
        free(freed);
        if (i % 3) free(kept);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void *work(void *unused) {
    take_turns(1, 50);
    return unused;
}

static void threads(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    take_turns(0, 50);
    pthread_join(thread, NULL);
    say("after", malloc(41));
}

static void ways(void) {
    say("malloc", malloc(0));
    say("calloc", calloc(7, 9));
    void *grows = realloc(NULL, 10);
    for (size_t size = 20; size < 1000000; size *= 3) say("realloc", grows = realloc(grows, size));
    say("reallocarray", reallocarray(grows, 100, 100));
    say("aligned_alloc", aligned_alloc(256, 512));
    say("memalign", memalign(48, 100));
    say("valloc", valloc(5));
    say("pvalloc", pvalloc(5000));
    void *aligned;
    if (!posix_memalign(&aligned, 4096, 33)) say("posix_memalign", aligned);
    say("strdup", strdup("a string"));
    for (size_t size = 1; size < 40000000; size *= 2) say("sizes", malloc(size));
}

static void reuse(void) {
    void *blocks[300];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 300; i++) blocks[i] = malloc((size_t)(i * 37 % 300) * 40);
        say("round", blocks[round]);
        for (int i = 0; i < 300; i++) free(blocks[i]);
    }
}

int main(void) {
    ways();
    reuse();
    threads();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        say("child", malloc(100));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    say("parent", malloc(100));
    printf("%s\n", getenv("LD_PRELOAD") ? "preloaded" : "as the user left it");
    return 0;
}
