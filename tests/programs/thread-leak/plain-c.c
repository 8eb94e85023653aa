// A thread of C11 is not joined.
#include <threads.h>

static int work(void *argument) {
    *(int *)argument = 1;
    return 0;
}

int main(void) {
    thrd_t thread;
    int value = 0;
    if (thrd_create(&thread, work, &value) != thrd_success) return 2; // EXPECT thread-leak
    thrd_sleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    return 0;
}
