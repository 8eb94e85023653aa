// A thread is joined.
#include <threads.h>

static int work(void *argument) {
    (void)argument;
    return 1;
}

int main(void) {
    thrd_t thread;
    int result = 0;
    if (thrd_create(&thread, work, NULL) != thrd_success) return 2;
    thrd_join(thread, &result);
    return result != 1;
}
