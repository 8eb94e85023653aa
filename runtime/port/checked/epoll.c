/* epoll_ctl of all code, also of what is not instrumented: pointers that are left with the kernel
 * are roots of leak searches. */
#include "../../leak/kernel.h"
#include "../../os/mem.h"

#include <sys/epoll.h>

WH_EXPORT int epoll_ctl(int queue, int operation, int file, struct epoll_event *event) {
    return kernel_epoll_ctl(queue, operation, file, event);
}
