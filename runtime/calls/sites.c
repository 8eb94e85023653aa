/* The C library's system calls are made by instructions that a comparison of the result follows:
 *     syscall; cmp $-4096, %rax
 * The comparison becomes a jump to a stub of its own, which hands over the result, makes the
 * comparison and goes on behind it. */
#include "calls.h"
#include "../os/os.h"

#include <emmintrin.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MOST 512
#define BACK 64u /* bytes before the call in which its number is loaded */
#define JUMP 5u  /* bytes */
#define SHORTEST 5u
#define ANY 0xffffu /* in place of a number */

/* What the stubs look at, each at its own. */
uint64_t calls_bounds[MOST] __attribute__((visibility("hidden")));
uint64_t calls_returns[MOST] __attribute__((visibility("hidden")));

static struct {
    uintptr_t base, begin, end; /* the image, and its code */
    const char *path;
} library;

static uint16_t numbers[MOST];
static uint32_t sites[MOST];
static unsigned taken;

/* Registers of vectors are the program's: the kernel keeps them, so the code around may, too. A
 * frame is described as one that the code before the jump called, with its registers. */
__asm__(".text\n"
        ".p2align 4\n"
        "calls_stubs:\n"
        ".set calls_index, 0\n"
        ".rept 512\n"
        "  .p2align 6\n"
        "  .cfi_startproc\n"
        "  .cfi_signal_frame\n"
        "  .cfi_def_cfa rsp, 0\n"
        "  .cfi_undefined rip\n"
        "  leaq -128(%rsp), %rsp\n"
        "  .cfi_def_cfa_offset 128\n"
        "  pushq calls_returns+8*calls_index(%rip)\n"
        "  .cfi_def_cfa_offset 136\n"
        "  .cfi_offset rip, -136\n"
        "  pushq $calls_index\n"
        "  .cfi_def_cfa_offset 144\n"
        "  call calls_common\n"
        "  leaq 144(%rsp), %rsp\n"
        "  .cfi_def_cfa_offset 0\n"
        "  cmpq calls_bounds+8*calls_index(%rip), %rax\n"
        "  jmp *calls_returns+8*calls_index(%rip)\n"
        "  .cfi_endproc\n"
        "  .set calls_index, calls_index+1\n"
        ".endr\n"
        ".type calls_common, @function\n"
        "calls_common:\n"
        "  .cfi_startproc\n"
        "  pushq %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset rbp, -16\n"
        "  movq %rsp, %rbp\n"
        "  .cfi_def_cfa_register rbp\n"
        "  pushq %rax\n"
        "  pushq %rdx\n"
        "  pushq %rsi\n"
        "  pushq %rdi\n"
        "  pushq %r8\n"
        "  pushq %r9\n"
        "  pushq %r10\n"
        "  movq %rsp, %rdi\n"
        "  movq 16(%rbp), %rsi\n"
        "  subq $256, %rsp\n"
        "  andq $-16, %rsp\n"
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "  movaps %xmm\\n, 16*\\n(%rsp)\n"
        ".endr\n"
        "  call calls_behind\n"
        ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "  movaps 16*\\n(%rsp), %xmm\\n\n"
        ".endr\n"
        "  leaq -56(%rbp), %rsp\n"
        "  popq %r10\n"
        "  popq %r9\n"
        "  popq %r8\n"
        "  popq %rdi\n"
        "  popq %rsi\n"
        "  popq %rdx\n"
        "  popq %rax\n"
        "  popq %rbp\n"
        "  .cfi_def_cfa rsp, 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size calls_common, .-calls_common\n");

extern const char calls_stubs[] __attribute__((visibility("hidden")));
#define STUB_SIZE 64u

/* ---- the library ---- */

static int is_library(const char *path) { return path && wh_same(wh_base_name(path), "libc.so.6"); }

static int look(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!is_library(info->dlpi_name)) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        library.base = info->dlpi_addr;
        library.path = info->dlpi_name;
        library.begin = library.base + header->p_vaddr;
        library.end = library.begin + header->p_memsz;
        return 1;
    }
    return 0;
}

int calls_find_library(void) {
    dl_iterate_phdr(look, NULL);
    return library.begin != 0;
}

uint32_t calls_site(uintptr_t address) {
    if (address < library.begin || address > library.end) return 0;
    return (uint32_t)(address - library.base);
}

/* ---- the calls ---- */

static uint32_t word_at(const uint8_t *at) {
    uint32_t word;
    wh_copy_short(&word, at, sizeof word);
    return word;
}

/* The bytes of the comparison of a result with the least error; 0: it is something else. */
static unsigned comparison(const uint8_t *at, uint64_t *bound) {
    int wide = at[0] == 0x48 && at[1] == 0x3d;
    if (!wide && at[0] != 0x3d) return 0;
    uint32_t value = word_at(at + (wide ? 2 : 1));
    if (value != 0xfffff000 && value != 0xfffff001) return 0;
    *bound = (uint64_t)(int64_t)(int32_t)value;
    return wide ? 6 : SHORTEST;
}

/* The number that is loaded before a call; -1: none is seen. */
static int number_before(const uint8_t *call, const uint8_t *begin) {
    if (call - begin > 2 && call[-2] == 0x31 && call[-1] == 0xc0) return 0;
    for (const uint8_t *at = call - 5; at >= begin && call - at < (long)BACK; at--)
        if (at[0] == 0xb8 && word_at(at + 1) < 0x200) return (int)word_at(at + 1);
    return -1;
}

/* The function that is given a number: what it has before its call. */
static int is_any_call(const uint8_t *call, const uint8_t *begin) {
    static const uint8_t before[] = {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89,
                                     0xd6, 0x48, 0x89, 0xca, 0x4d, 0x89, 0xc2, 0x4d,
                                     0x89, 0xc8, 0x4c, 0x8b, 0x4c, 0x24, 0x08};
    return call - begin > (long)sizeof before &&
           wh_same_bytes((uintptr_t)call - sizeof before, (uintptr_t)before, sizeof before);
}

static void take(uint8_t *at, unsigned size, unsigned number, uint64_t bound) {
    uintptr_t stub = (uintptr_t)calls_stubs + taken * STUB_SIZE;
    int64_t distance = (int64_t)(stub - ((uintptr_t)at + JUMP));
    if (taken == MOST || distance != (int32_t)distance) return;
    numbers[taken] = (uint16_t)number;
    sites[taken] = calls_site((uintptr_t)at);
    calls_bounds[taken] = bound;
    calls_returns[taken++] = (uintptr_t)at + size;
    int32_t offset = (int32_t)distance;
    at[0] = 0xe9;
    wh_copy_short(at + 1, &offset, sizeof offset);
    if (size > JUMP) at[JUMP] = 0x90;
}

static void take_one(uint8_t *at) {
    const uint8_t *begin = (const uint8_t *)library.begin;
    uint64_t bound;
    unsigned size = comparison(at + 2, &bound);
    if (!size) return;
    int number = is_any_call(at, begin) ? (int)ANY : number_before(at, begin);
    if (number == (int)ANY || (number >= 0 && calls_are_kept((unsigned)number)))
        take(at + 2, size, (unsigned)number, bound);
}

/* The instruction is 0f 05. */
static void take_all(void) {
    const __m128i first = _mm_set1_epi8(0x0f), second = _mm_set1_epi8(0x05);
    uint8_t *end = (uint8_t *)library.end - 32;
    for (uint8_t *at = (uint8_t *)library.begin; at < end; at += 16) {
        __m128i here = _mm_loadu_si128((const __m128i *)at);
        __m128i next = _mm_loadu_si128((const __m128i *)(at + 1));
        __m128i both = _mm_and_si128(_mm_cmpeq_epi8(here, first), _mm_cmpeq_epi8(next, second));
        for (unsigned found = (unsigned)_mm_movemask_epi8(both); found; found &= found - 1)
            take_one(at + __builtin_ctz(found));
    }
}

static long protect(long access) {
    uintptr_t begin = wh_round_down(library.begin, OS_PAGE),
              end = wh_round_up(library.end, OS_PAGE);
    return os_call(SYS_mprotect, (long)begin, (long)(end - begin), access, 0, 0, 0);
}

/* Whether the system lets changed pages of a file be executed, found out with another copy of one:
 * a library that could no longer be executed would be the end. */
static int may_execute_changes(void) {
    int file = os_open(library.path, OS_OPEN_READ);
    if (file < 0) return 0;
    long access = PROT_READ | PROT_WRITE;
    long page = os_call(SYS_mmap, 0, OS_PAGE, access, MAP_PRIVATE, file, 0);
    os_close(file);
    if (os_failed(page)) return 0;
    *(volatile uint8_t *)page = 0;
    long result = os_call(SYS_mprotect, page, OS_PAGE, PROT_READ | PROT_EXEC, 0, 0, 0);
    os_unmap((uintptr_t)page, OS_PAGE);
    return result == 0;
}

int calls_take_sites(void) {
    if (!calls_find_library() || !may_execute_changes() || protect(PROT_READ | PROT_WRITE))
        return 0;
    take_all();
    protect(PROT_READ | PROT_EXEC);
    return taken != 0;
}

/* ---- behind a call ---- */

struct sum {
    size_t bytes;
};

static void add(uintptr_t at, size_t size, void *argument) {
    (void)at;
    ((struct sum *)argument)->bytes += sizeof(uint32_t) + size;
}

static void put(uintptr_t at, size_t size, void *argument) {
    char **to = argument;
    uint32_t count = (uint32_t)size;
    wh_copy(*to, &count, sizeof count);
    wh_copy(*to + sizeof count, (const void *)at, size);
    *to += sizeof count + size;
}

static int is_failure(int64_t result) { return result < 0 && result >= -4095; }

/* Contents of regular files are there the next time, too, if they are not small. */
static int is_read_again(unsigned number, const uint64_t *words, int64_t result) {
    struct calls_identity identity;
    if (result < (int64_t)WH_CALLS_SMALL_READ || (number != SYS_read && number != SYS_pread64))
        return 0;
    return calls_identify((int)words[0], &identity) && S_ISREG(identity.mode) &&
           identity.size > WH_CALLS_SMALL_FILE;
}

void calls_behind(const struct calls_registers *registers, uint64_t site) {
    if (!CALLS_KEPT || outside_paused) return;
    unsigned number = numbers[site] == ANY ? outside_number : numbers[site];
    const uint64_t words[] = {registers->rdi, registers->rsi, registers->rdx,
                              registers->r10, registers->r8,  registers->r9};
    int64_t result = (int64_t)registers->rax;
    if (!calls_are_kept(number)) return;
    if (number == SYS_kill && words[0] == os_process()) return; /* it is sent the next time, too */
    struct calls_identity identity;
    struct sum sum = {0};
    int none = is_failure(result) || is_read_again(number, words, result);
    int opens =
        !is_failure(result) && calls_opens(number) && calls_identify((int)result, &identity);
    if (opens) add(0, sizeof identity, &sum);
    if (!none) calls_outputs(number, words, result, add, &sum);
    if (calls_does_all(number) && (uint64_t)result == words[2]) result = (int64_t)WH_CALLS_ALL;
    struct whence_call *call = calls_room(number, sites[site], result, sum.bytes);
    if (!call) return;
    char *to = (char *)(call + 1);
    if (opens) put((uintptr_t)&identity, sizeof identity, &to);
    if (!none) calls_outputs(number, words, result, put, &to);
    calls_done(call);
}
