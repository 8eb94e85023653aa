// A function that locks a plain mutex calls itself.
// RUN: options --halt
#include <threads.h>

static mtx_t lock;

static int depth(int n) {
    mtx_lock(&lock); // EXPECT double-lock in mtx_lock
    int result = n ? 1 + depth(n - 1) : 1;
    mtx_unlock(&lock);
    return result;
}

int main(void) {
    if (mtx_init(&lock, mtx_plain) != thrd_success) return 2;
    int result = depth(3);
    mtx_destroy(&lock);
    return result != 4;
}
