/* dlmopen: a library in a namespace of its own has a C library of its own, and
 * runs as it is.
 *
 * The loader looks there, too, into the folders in which the instrumented copies
 * lie for the program itself. A copy would bring a second runtime. So the
 * launcher names the files that must not be found in this way, and they are
 * opened by their paths before the libraries that need them.
 */
#include "loading.h"
#include "../process/service.h"
#include "../process/thread.h"
#include "../os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define MANY 64

typedef void *(*open_function)(Lmid_t, const char *, int);
typedef int (*close_function)(void *);

HIDDEN open_function whence_next_dlmopen;
static close_function next_dlclose;

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_functions(void) {
    if (whence_next_dlmopen) return;
    next_dlclose = (close_function)(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
    whence_next_dlmopen = (open_function)(uintptr_t)dlsym(RTLD_NEXT, "dlmopen");
}

struct opened {
    void *handle;
    uint64_t done; /* 0: the loader's dlmopen is called as the program called ours */
};

HIDDEN struct opened whence_dlmopen(Lmid_t space, const char *name, int flags, uintptr_t caller);

static void close_all(void *const *handles, unsigned count) {
    while (count) next_dlclose(handles[--count]);
}

/* The last file of an answer, after those that it needs; they are kept by it. */
static void *open_files(struct service_talk *answer, Lmid_t space, int flags) {
    void *needed[MANY], *handle = NULL;
    unsigned count = 0;
    const char *path = service_next(answer), *more = service_next(answer);
    for (; path && more && count < MANY; path = more, more = service_next(answer)) {
        void *opened = whence_next_dlmopen(space, path, RTLD_LAZY);
        if (!opened) break;
        needed[count++] = opened;
        if (space == LM_ID_NEWLM) dlinfo(opened, RTLD_DI_LMID, &space);
    }
    if (path && *path && !more) handle = whence_next_dlmopen(space, path, flags);
    close_all(needed, count);
    return handle;
}

struct opened whence_dlmopen(Lmid_t space, const char *name, int flags, uintptr_t caller) {
    int saved = errno;
    thread_here();
    find_functions();
    struct opened opened = {NULL, 0};
    uintptr_t room = service_known() && name && *name ? os_map(WH_SERVICE_ROOM) : 0;
    struct service_talk talk;
    if (room && loading_ask(&talk, (char *)room, WH_ASK_APART, name, caller)) {
        opened.handle = open_files(&talk, space, flags);
        opened.done = opened.handle != NULL;
    }
    if (room) os_unmap(room, WH_SERVICE_ROOM);
    errno = saved;
    return opened;
}

/* The loader looks at the return address, as in dlopen; namespace 0 is the program's. */
__asm__(".text\n"
        ".globl dlmopen\n"
        ".type dlmopen, @function\n"
        "dlmopen:\n"
        ".cfi_startproc\n"
        "    test %rdi, %rdi\n"
        "    jne 1f\n"
        "    mov %rsi, %rdi\n"
        "    mov %edx, %esi\n"
        "    jmp dlopen@PLT\n"
        "1:  push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rdx\n"
        "    mov 8(%rbp), %rcx\n"
        "    call whence_dlmopen\n"
        "    test %rdx, %rdx\n"
        "    pop %rdx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    jne 2f\n"
        "    jmp *whence_next_dlmopen(%rip)\n"
        "2:  ret\n"
        ".cfi_endproc\n"
        ".size dlmopen, .-dlmopen\n");
