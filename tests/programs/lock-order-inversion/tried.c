// A lock that was got by a try is held like others while the thread waits for another one.
// RUN: options --halt
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t queue, log_file;
static int lines;

static int write_log(void *unused) {
    (void)unused;
    if (mtx_trylock(&log_file)) return 1;
    mtx_lock(&queue);
    lines++;
    mtx_unlock(&log_file);
    mtx_unlock(&queue);
    return 0;
}

static int push(void *unused) {
    (void)unused;
    struct timespec pause = {0, 200000000};
    thrd_sleep(&pause, NULL);
    mtx_lock(&queue);
    mtx_lock(&log_file); // EXPECT lock-order-inversion in mtx_lock
    lines++;
    mtx_unlock(&log_file);
    mtx_unlock(&queue);
    return 0;
}

int main(void) {
    thrd_t one, two;
    if (mtx_init(&queue, mtx_plain) || mtx_init(&log_file, mtx_timed)) return 2;
    if (thrd_create(&one, write_log, NULL) || thrd_create(&two, push, NULL)) return 2;
    thrd_join(one, NULL);
    thrd_join(two, NULL);
    mtx_destroy(&queue);
    mtx_destroy(&log_file);
    return lines < 1;
}
