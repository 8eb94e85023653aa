/* mmap, munmap, mremap and mprotect, also through syscall. Only calls about memory that is mapped
 * already do more than the system's: where that is the heap's, its slots are used no more, and no
 * hole is left in the heap's reservation. Tables of the runtime stay as they are: natively nothing
 * would be mapped there. */
#include "../alloc/heap.h"
#include "../events/events.h"
#include "../process/thread.h"
#include "../findings/tables.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

#define HIDDEN __attribute__((visibility("hidden")))

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* ---- pages of the heap ---- */

/* Those of a range that is renewed, of which there are none in most calls; the system refuses
 * addresses that begin no page. */
static struct heap_range heap_pages(uintptr_t begin, uint64_t size) {
    struct heap_range none = {0, 0};
    if (!size || size > ADDRESS_END || begin % OS_PAGE || begin >= ADDRESS_END) return none;
    announce_renews(begin, size);
    struct heap_range pages = heap_part(begin, size);
    if (WH_LIKELY(pages.begin == pages.end)) return none;
    thread_here();
    heap_claim(pages.begin, pages.end);
    return pages;
}

static long close_pages(struct heap_range pages) {
    return pages.begin < pages.end ? os_renew(pages.begin, pages.end - pages.begin, OS_NONE) : 0;
}

static void hand_over(struct heap_range pages) {
    if (pages.begin < pages.end) heap_claimed(pages.begin, pages.end);
}

/* The system maps whole pages; what they hold is not looked at, and may be inaccessible. */
static void whole_pages_mapped(uintptr_t begin, uintptr_t end) {
    end = wh_round_up(end, OS_PAGE);
    if (begin < end) announce_mapped(begin, end - begin);
}

/* ---- the calls; negative results are errors ---- */

static int is_error(long result) { return (unsigned long)result > -4096UL; }

static void keep_tables(uintptr_t begin, uint64_t size) {
    const struct table *table = size && begin % OS_PAGE == 0 ? tables_at(begin, size) : NULL;
    if (WH_UNLIKELY(table != NULL)) tables_refuse(table, begin);
}

static long map(uintptr_t at, size_t size, long protection, long flags, long file, long offset) {
    int renews = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED;
    if (renews) keep_tables(at, size);
    struct heap_range pages = heap_pages(at, renews ? size : 0);
    long result = os_pass(SYS_mmap, (long)at, (long)size, protection, flags, file, offset);
    if (WH_UNLIKELY(result == -EEXIST)) tables_kept(at, size);
    if (is_error(result)) return result;
    whole_pages_mapped((uintptr_t)result, (uintptr_t)result + size);
    hand_over(pages);
    return result;
}

static long unmap_memory(uintptr_t begin, size_t size) {
    struct heap_range pages = heap_pages(begin, size);
    int whole = pages.begin == begin && pages.end >= begin + size && pages.end;
    long result = whole ? 0 : os_pass(SYS_munmap, (long)begin, (long)size, 0, 0, 0, 0);
    if (result < 0) return result;
    announce_unmapped(begin, size);
    return close_pages(pages);
}

static long unmap(uintptr_t begin, size_t size) {
    const struct table *table;
    while (begin % OS_PAGE == 0 && (table = tables_at(begin, size))) {
        uintptr_t end = begin + size, past = table->end < end ? table->end : end;
        long result = begin < table->begin ? unmap_memory(begin, table->begin - begin) : 0;
        if (result < 0 || past == end) return result;
        begin = past;
        size = end - past;
    }
    return unmap_memory(begin, size);
}

static long protect(uintptr_t begin, size_t size, long protection) {
    if (size && begin % OS_PAGE == 0 && tables_at(begin, size)) return -ENOMEM;
    return os_pass(SYS_mprotect, (long)begin, (long)size, protection, 0, 0, 0);
}

/* What the call leaves of the old range: its end if it has become shorter, all if it has moved. */
static struct heap_range left(struct heap_range old, uintptr_t at, uintptr_t to, size_t size,
                              long flags) {
    if (to != at) return flags & MREMAP_DONTUNMAP ? (struct heap_range){0, 0} : old;
    uintptr_t end = wh_round_up(at + size, OS_PAGE);
    if (old.begin < end) old.begin = end;
    return old;
}

static long remap(uintptr_t at, size_t size, size_t new_size, long flags, uintptr_t to) {
    if (WH_UNLIKELY(tables_at(at, size) != NULL)) return -EFAULT;
    if (flags & MREMAP_FIXED) keep_tables(to, new_size);
    struct heap_range old = heap_pages(at, size);
    struct heap_range fresh = heap_pages(to, flags & MREMAP_FIXED ? new_size : 0);
    long result = os_pass(SYS_mremap, (long)at, (long)size, (long)new_size, flags, (long)to, 0);
    if (is_error(result)) return result;
    uint64_t kept = (uintptr_t)result != at ? 0 : size < new_size ? size : new_size;
    announce_unmapped(at, size);
    whole_pages_mapped((uintptr_t)result + kept, (uintptr_t)result + new_size);
    close_pages(left(old, at, (uintptr_t)result, new_size, flags));
    hand_over(fresh);
    return result;
}

/* ---- the functions ---- */

static long with_errno(long result) {
    if (!is_error(result)) return result;
    errno = (int)-result;
    return -1;
}

WH_EXPORT void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    return (void *)with_errno(map((uintptr_t)at, size, protection, flags, file, offset));
}

WH_EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) {
    return (void *)with_errno(map((uintptr_t)at, size, protection, flags, file, offset));
}

WH_EXPORT int munmap(void *begin, size_t size) {
    return (int)with_errno(unmap((uintptr_t)begin, size));
}

WH_EXPORT int mprotect(void *begin, size_t size, int protection) {
    return (int)with_errno(protect((uintptr_t)begin, size, protection));
}

WH_EXPORT void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    uintptr_t to = flags & MREMAP_FIXED ? (uintptr_t)va_arg(more, void *) : 0;
    va_end(more);
    return (void *)with_errno(remap((uintptr_t)at, size, new_size, flags, to));
}

HIDDEN long whence_syscall(long number, long a, long b, long c, long d, long e, long f);

long whence_syscall(long number, long a, long b, long c, long d, long e, long f) {
    long result = number == SYS_mmap     ? map((uintptr_t)a, (size_t)b, c, d, e, f)
                  : number == SYS_munmap ? unmap((uintptr_t)a, (size_t)b)
                  : number == SYS_mprotect
                      ? protect((uintptr_t)a, (size_t)b, c)
                      : remap((uintptr_t)a, (size_t)b, (size_t)c, d, (uintptr_t)e);
    return with_errno(result);
}

HIDDEN long (*whence_next_syscall)(long, ...);
HIDDEN void whence_find_syscall(void);

void whence_find_syscall(void) {
    whence_next_syscall = (long (*)(long, ...))(uintptr_t)dlsym(RTLD_NEXT, "syscall");
}

/* All other calls go to the C library's function as they came: some return twice, or on another
 * stack. The numbers are those of mmap, mprotect, munmap and mremap. */
_Static_assert(SYS_mmap == 9 && SYS_mprotect == 10 && SYS_munmap == 11 && SYS_mremap == 25,
               "numbers below");
__asm__(".text\n"
        ".globl " PORT_SYSCALL "\n"
        ".type " PORT_SYSCALL ", @function\n" PORT_SYSCALL ":\n"
        ".cfi_startproc\n"
        "    cmp $9, %rdi\n"
        "    je whence_syscall\n"
        "    cmp $10, %rdi\n"
        "    je whence_syscall\n"
        "    cmp $11, %rdi\n"
        "    je whence_syscall\n"
        "    cmp $25, %rdi\n"
        "    je whence_syscall\n"
        "    movq outside_number@gottpoff(%rip), %rax\n"
        "    movl %edi, %fs:(%rax)\n"
        "    mov whence_next_syscall(%rip), %rax\n"
        "    test %rax, %rax\n"
        "    je 1f\n"
        "    jmp *%rax\n"
        "1:\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %r8\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %r9\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call whence_find_syscall\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %r9\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %r8\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *whence_next_syscall(%rip)\n"
        ".cfi_endproc\n"
        ".size " PORT_SYSCALL ", .-" PORT_SYSCALL "\n");
