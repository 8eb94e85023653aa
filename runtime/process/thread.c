#include "thread.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../record/record.h"
#include "../settings/options.h"

#include <link.h>

__thread struct thread thread_self;

WH_WRITTEN int thread_main_returned;
int rt_ready;

extern const char __start_whence_start_code[] __attribute__((visibility("hidden")));
extern const char __stop_whence_start_code[] __attribute__((visibility("hidden")));

int thread_is_start_code(uint64_t pc) {
    return pc >= (uintptr_t)__start_whence_start_code && pc <= (uintptr_t)__stop_whence_start_code;
}

/* ---- the runtime's thread-local memory ---- */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* It lies in the static block of each thread, so at one distance from the thread's record there. */
static uintptr_t own_before;
static size_t own_size;

static int note_own_memory(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)unused;
    if (info->dlpi_addr != (uintptr_t)__ehdr_start || size < sizeof *info) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t before = (uintptr_t)&thread_self - (uintptr_t)info->dlpi_tls_data;
        if (header->p_type != PT_TLS || before >= header->p_memsz) continue;
        own_before = before;
        own_size = header->p_memsz;
    }
    return 1;
}

void thread_find_own_memory(void) { dl_iterate_phdr(note_own_memory, NULL); }

uintptr_t thread_own_memory(const struct thread *thread, size_t *size) {
    *size = own_size;
    return own_size ? (uintptr_t)thread - own_before : 0;
}

/* ---- the main thread ---- */

/* The stack pointer at the entry of the process; everything the program pushes lies below. */
extern void *__libc_stack_end;

void thread_init_main(void) {
    struct thread *thread = &thread_self;
    uint64_t reach = os_stack_limit();
    if (reach < THREAD_MAIN_STACK_LEAST) reach = THREAD_MAIN_STACK_LEAST;
    uintptr_t high = (uintptr_t)__libc_stack_end;
    thread->stack.high = high;
    thread->stack.low = reach < high / 2 ? high - reach : high / 2;
    thread->tid = os_thread();
}

/* A thread's cache is closed by the destructors of its specific data. */
uintptr_t thread_stack_after_end(void) {
    int ended = thread_self.cache.state == HEAP_CACHE_CLOSED ||
                (thread_main_returned && thread_self.number == 0);
    return ended ? thread_self.stack.high : 0;
}

/* ---- memos of stacks ---- */

/* So many stacks a thread has met before what it reads to walk them is worth being kept. */
#define STACKS_BEFORE_MEMO 2000u

static struct memo *memos; /* of threads that ended */
static struct os_lock memos_lock;

static struct memo *take_memo(void) {
    os_lock(&memos_lock);
    struct memo *memo = memos;
    if (memo) memos = memo->next;
    os_unlock(&memos_lock);
    if (!memo) return rt_private(sizeof *memo);
    memo_clear(memo); /* addresses of another stack */
    memo->busy = 0;   /* a handler may have jumped out of a walk */
    return memo;
}

void thread_give_memo(struct thread *thread) {
    struct memo *memo = thread->memo;
    thread->memo = NULL;
    if (!memo) return;
    os_lock(&memos_lock);
    memo->next = memos;
    memos = memo;
    os_unlock(&memos_lock);
}

void thread_lock_memos(void) { os_lock(&memos_lock); }

void thread_unlock_memos(void) { os_unlock(&memos_lock); }

/* ---- stacks ---- */

static WH_COLD uint32_t stack_without_memo(struct thread *thread, const struct frame *frame) {
    uint64_t pcs[WH_ALLOC_FRAMES], hash;
    unsigned count =
        unwind_frames(frame, &thread->stack, pcs, (unsigned)options.alloc_frames, &hash, NULL);
    if (!thread->memo && ++thread->stacks == STACKS_BEFORE_MEMO) thread->memo = take_memo();
    return depot_put_cached(&thread->depot, pcs, count, hash);
}

uint32_t port_stack(struct thread *thread, const struct frame *frame) {
    struct memo *memo = thread->memo;
    if (WH_UNLIKELY(!memo || memo->busy)) return stack_without_memo(thread, frame);
    __atomic_store_n(&memo->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t handle = memo_find(memo, frame);
    if (WH_UNLIKELY(!handle))
        handle =
            memo_learn(memo, &thread->depot, frame, &thread->stack, (unsigned)options.alloc_frames);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&memo->busy, 0, __ATOMIC_RELAXED);
    return handle;
}

/* ---- memory and notes ---- */

void *rt_private(size_t size) {
    static WH_WRITTEN uint64_t used;
    uint64_t bytes = wh_round_up(size, 64),
             end = __atomic_add_fetch(&used, bytes, __ATOMIC_RELAXED);
    return end <= WH_PRIVATE_SIZE ? (void *)(WH_PRIVATE_BASE + end - bytes) : NULL;
}

void rt_note(int *noted, const char *sentence) {
    if (__atomic_exchange_n(noted, 1, __ATOMIC_ACQ_REL)) return;
    enum record_status status = record_text_once(WH_RECORD_NOTE, sentence);
    if (status == RECORD_OK || status == RECORD_KNOWN) return;
    TEXT(message, 512);
    text_put(&message, sentence);
    text_complain(&message);
}
