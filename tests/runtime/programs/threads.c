#include "common.h"
#include <threads.h>
#define SHARED 64
static void *_Atomic shared[SHARED];
static void *exchange(void *seed_) {
    unsigned seed = (unsigned)(uintptr_t)seed_;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1103515245 + 12345;
        size_t size = (seed >> 8) % 3000;
        unsigned char *p = malloc(size + sizeof size);
        memcpy(p, &size, sizeof size);
        memset(p + sizeof size, (int)size, size);
        unsigned char *old =
            __atomic_exchange_n(&shared[(seed >> 3) % SHARED], p, __ATOMIC_ACQ_REL);
        if (!old) continue;
        memcpy(&size, old, sizeof size);
        for (size_t k = 0; k < size; k++) REQUIRE(old[sizeof size + k] == (unsigned char)size);
        free(old);
    }
    return NULL;
}
static void *once(void *p) {
    free(p);
    return malloc(40);
}
static void *bad(void *p) {
    LOAD((char *)p + 16, p, 1);
    return NULL;
}
static int twice(void *number) { return 2 * *(int *)number; }
int main(int argc, char **argv) {
    if (IS("exchange")) {
        pthread_t threads[8];
        for (long i = 0; i < 8; i++)
            REQUIRE(!pthread_create(&threads[i], NULL, exchange, (void *)(i + 1)));
        for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < SHARED; i++) free(shared[i]);
    }
    if (IS("many"))
        for (int round = 0; round < 20; round++) {
            pthread_t threads[50];
            void *result;
            for (int i = 0; i < 50; i++)
                REQUIRE(!pthread_create(&threads[i], NULL, once, malloc(30)));
            for (int i = 0; i < 50; i++) {
                pthread_join(threads[i], &result);
                free(result);
            }
        }
    if (IS("number")) {
        pthread_t thread;
        for (int i = 0; i < 3; i++) {
            pthread_create(&thread, NULL, once, NULL);
            pthread_join(thread, NULL);
        }
        pthread_create(&thread, NULL, bad, malloc(16));
        pthread_join(thread, NULL);
    }
    if (IS("race")) {
        void *p = malloc(8);
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, once, p);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    }
    if (IS("fork")) {
        pthread_t threads[4];
        for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, exchange, (void *)(i + 1));
        for (int i = 0; i < 50; i++) {
            pid_t child = fork();
            if (!child) {
                for (int k = 0; k < 100; k++) free(malloc((size_t)k * 10));
                char *p = malloc(8);
                if (i == 7) STORE(p + 8, p, 1);
                _exit(0);
            }
            int status;
            REQUIRE(waitpid(child, &status, 0) == child && status == 0);
        }
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
        printf("%d\n", getpid());
    }
    if (IS("c11")) {
        thrd_t thread;
        int result;
        REQUIRE(thrd_create(&thread, twice, &(int){21}) == thrd_success);
        REQUIRE(thrd_join(thread, &result) == thrd_success && result == 42);
    }
    if (IS("vfork")) {
        pid_t child = vfork();
        if (!child) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        int status;
        REQUIRE(waitpid(child, &status, 0) == child && status == 0);
        free(malloc(10));
    }
    return 0;
}
