#include "kind.h"
#include "thread.h"

#include <link.h>

/* ---- stacks ---- */

/* More threads than this at a time: their stacks count as unknown memory. */
#define STACKS_MOST 4096u

/* high is 0 where nothing stands, and written last. */
static struct {
    uintptr_t low, high;
    const struct thread *thread;
    uint32_t tid;
} stacks[STACKS_MOST];

void kind_stack_born(void) {
    struct stack_bounds own = thread_self.stack;
    for (unsigned i = 0; i < STACKS_MOST; i++) {
        uintptr_t empty = 0;
        if (!__atomic_compare_exchange_n(&stacks[i].high, &empty, 1, 0, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        stacks[i].low = own.low;
        stacks[i].thread = &thread_self;
        stacks[i].tid = thread_self.tid;
        __atomic_store_n(&stacks[i].high, own.high, __ATOMIC_RELEASE);
        return;
    }
}

static void begins(const struct new_thread *thread) {
    (void)thread;
    kind_stack_born();
}

static void ends(void) {
    uintptr_t high = thread_self.stack.high;
    for (unsigned i = 0; i < STACKS_MOST; i++)
        if (__atomic_load_n(&stacks[i].high, __ATOMIC_ACQUIRE) == high) {
            __atomic_store_n(&stacks[i].high, 0, __ATOMIC_RELEASE);
            return;
        }
}

const struct observer kind_observer = {.always = 1, .begins = begins, .ends = ends};

const struct thread *kind_thread_of(uintptr_t address, struct stack_bounds *stack, uint32_t *tid) {
    for (unsigned i = 0; i < STACKS_MOST; i++) {
        uintptr_t high = __atomic_load_n(&stacks[i].high, __ATOMIC_ACQUIRE);
        if (address >= high || address < stacks[i].low) continue;
        *stack = (struct stack_bounds){stacks[i].low, high};
        *tid = stacks[i].tid;
        return stacks[i].thread;
    }
    return NULL;
}

int kind_stack_of(uintptr_t address, struct stack_bounds *stack) {
    uint32_t tid;
    return kind_thread_of(address, stack, &tid) != NULL;
}

/* ---- images ---- */

static int in_range(uintptr_t address, uintptr_t begin, uint64_t size) {
    return address >= begin && address - begin < size;
}

/* One loaded object: its segments, and the calling thread's copy of its thread-local variables. */
static int holds(struct dl_phdr_info *info, size_t size, void *wanted) {
    uintptr_t address = *(const uintptr_t *)wanted;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            in_range(address, info->dlpi_addr + part->p_vaddr, part->p_memsz))
            return 1;
        if (part->p_type == PT_TLS && size >= sizeof *info && info->dlpi_tls_data &&
            in_range(address, (uintptr_t)info->dlpi_tls_data, part->p_memsz))
            return 1;
    }
    return 0;
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

int kind_in_runtime(uintptr_t address) {
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

uint64_t kind_of(uintptr_t address) {
    struct block inner = block_inner(address);
    if (block_exists(inner)) return block_kind(inner);
    uint64_t kind = blocks_kind(address);
    if (kind != WH_KIND_ELSEWHERE) return kind;
    struct stack_bounds stack;
    if (kind_stack_of(address, &stack)) return WH_KIND_STACK;
    if (dl_iterate_phdr(holds, &address)) return WH_KIND_GLOBAL;
    return WH_KIND_ELSEWHERE;
}

WH_EXPORT uint64_t __whence_kind(uint64_t address) { return kind_of(address); }
