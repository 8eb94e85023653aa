#include "left.h"
#include "inputs.h"
#include "trace.h"
#include "../os/os.h"
#include "../os/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Of a longer name the trace has the begin. */
#define NAME_MOST 512u

static int is_written(int file) {
    struct stat facts;
    long how = os_call(SYS_fcntl, file, F_GETFL, 0, 0, 0, 0);
    if (how < 0 || (how & O_ACCMODE) == O_RDONLY || how & O_PATH) return 0;
    if (os_call(SYS_fstat, file, (long)&facts, 0, 0, 0, 0)) return 0;
    return S_ISREG(facts.st_mode) && facts.st_nlink;
}

/* What the kernel writes to is on the stack: other memory may be closed to writes. */
static void put_name(int file) {
    char name[NAME_MOST];
    TEXT(path, 64);
    text_descriptor(&path, (uint64_t)file);
    long length =
        os_call(SYS_readlinkat, AT_FDCWD, (long)path.begin, (long)name, sizeof name - 1, 0, 0);
    if (length <= 0) return;
    name[length] = 0;
    if (inputs_are_beside(name)) return;
    uint64_t operands[] = {(uint64_t)length};
    trace_put_text(WH_TRACE_LEFT, 0, 1, operands, name, (size_t)length);
}

void left_open(int file) {
    if (!is_written(file) || !trace_lock()) return;
    put_name(file);
    trace_unlock();
}
