// A thread waits with another mutex than the one that it holds.
#include <errno.h>
#include <threads.h>
#include <time.h>

static mtx_t table, queue;
static cnd_t filled;

int main(void) {
    struct timespec moment;
    if (mtx_init(&table, mtx_plain) || mtx_init(&queue, mtx_plain) || cnd_init(&filled)) return 2;
    timespec_get(&moment, TIME_UTC);
    mtx_lock(&queue);
    int result = cnd_timedwait(&filled, &table, &moment); // EXPECT wait-without-lock in cnd_timedwait
    mtx_unlock(&queue);
    return result != thrd_timedout;
}
