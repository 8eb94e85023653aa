#include "hooks.h"
#include "../os/mem.h"
#include "../process/thread.h"

/* The program may define them. */
__attribute__((weak)) void __sanitizer_malloc_hook(const volatile void *begin, size_t size);
__attribute__((weak)) void __sanitizer_free_hook(const volatile void *begin);

/* A row is complete when hooks_count counts it. */
static struct {
    hook_made made;
    hook_freed freed;
} hooks[HOOKS_MOST + 1];
static uint32_t hooks_count;
static struct os_lock lock;

void hooks_lock(void) { os_lock(&lock); }

void hooks_unlock(void) { os_unlock(&lock); }

static int add(hook_made made, hook_freed freed, uint32_t most) {
    os_lock(&lock);
    uint32_t place = hooks_count;
    int fits = place < most && (made || freed);
    if (fits) {
        hooks[place].made = made;
        hooks[place].freed = freed;
        __atomic_store_n(&hooks_count, place + 1, __ATOMIC_RELEASE);
        observers_listen(&hooks_observer);
    }
    os_unlock(&lock);
    return fits ? (int)place + 1 : 0;
}

static int named(void) { return __sanitizer_malloc_hook || __sanitizer_free_hook; }

void hooks_init(void) { add(__sanitizer_malloc_hook, __sanitizer_free_hook, 1); }

int hooks_add(hook_made made, hook_freed freed) {
    int number = add(made, freed, HOOKS_MOST + (named() ? 1 : 0));
    return number && named() ? number - 1 : number;
}

static void call_made(uintptr_t begin, size_t size) {
    struct thread *thread = thread_here();
    uint32_t most = __atomic_load_n(&hooks_count, __ATOMIC_ACQUIRE);
    if (thread->hooking) return;
    thread->hooking = 1;
    for (uint32_t i = 0; i < most; i++)
        if (hooks[i].made) hooks[i].made((const void *)begin, size);
    thread->hooking = 0;
}

static void call_freed(uintptr_t begin) {
    struct thread *thread = thread_here();
    uint32_t most = __atomic_load_n(&hooks_count, __ATOMIC_ACQUIRE);
    if (thread->hooking) return;
    thread->hooking = 1;
    for (uint32_t i = 0; i < most; i++)
        if (hooks[i].freed) hooks[i].freed((const void *)begin);
    thread->hooking = 0;
}

static void made(const struct made_block *block) { call_made(block->begin, block->request->size); }

static void resized(uintptr_t begin, uint64_t old, uint64_t size) {
    (void)old;
    call_freed(begin);
    call_made(begin, size);
}

const struct observer hooks_observer = {.made = made, .freed = call_freed, .resized = resized};
