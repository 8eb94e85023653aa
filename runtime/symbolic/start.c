/* `main` begins: the fork server takes over, if there is one. */
#include "../include/whence/symbolic.h"
#include "../os/mem.h"
#include "../settings/options.h"
#include "expressions.h"
#include "memory.h"
#include "server.h"
#include "symbolic.h"

#include <unistd.h>

static void (*after_fork)(void);

WH_EXPORT void __whence_symbolic_main(uint64_t count, char **arguments) {
    (void)count;
    symbolic_failing();
    if (options.explore) server_run((int)options.explore, arguments, environ, after_fork);
}

long symbolic_init(uintptr_t *begin, size_t *size, void (*forked)(void)) {
    after_fork = forked;
    long result = memory_init(begin, size);
    return result < 0 ? result : expressions_init(begin, size);
}
