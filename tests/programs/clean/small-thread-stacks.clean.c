// Threads with the smallest stacks that there are, and calls nested in them as deep as fits.
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 40, DEPTH = 24 };

static int nested(int depth, const char *from) {
    char copy[64];
    memcpy(copy, from, sizeof copy);
    copy[depth] = 1;
    return depth ? nested(depth - 1, copy) : copy[0] + copy[DEPTH];
}

static void *work(void *result) {
    char *text = calloc(64, 1);
    if (text)
        *(int *)result = nested(DEPTH, text);
    free(text);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int results[THREADS] = {0};
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN), size = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, least))
        return 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &attributes, work, &results[i]))
            return 2;
    for (int i = 0; i < THREADS; i++)
        if (pthread_join(threads[i], NULL) || results[i] != 2)
            return 3;
    pthread_attr_getstacksize(&attributes, &size); // the program's attributes are as it set them
    pthread_attr_destroy(&attributes);
    return size == least ? 0 : 4;
}
