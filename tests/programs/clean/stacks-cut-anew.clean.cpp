// Memory that was stacks of coroutines is cut anew: it becomes data and other stacks, with contexts and with a switch written
// by hand, while code runs on a stack above it in the same block, mapping or array.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/mman.h>
#include <ucontext.h>

extern "C" void cut_switch(void **from, void *to);
__asm__(".text\n"
        ".globl cut_switch\n"
        ".type cut_switch, @function\n"
        "cut_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size cut_switch, .-cut_switch\n");

static const std::size_t SIZE = 1 << 16, ALL = 4 * SIZE;
static ucontext_t main_context, context;
static void *main_stack, *own_stack;
static void (*task)();
alignas(64) static char array[ALL];

struct Object {
    long words[32];
};

static Object *objects[4 * SIZE / sizeof(Object)];
static int count;

[[gnu::noinline]] static long deep(int depth) {
    volatile long numbers[24];
    for (int i = 0; i < 24; i++) numbers[i] = depth + i;
    return depth ? deep(depth - 1) + numbers[depth % 24] : numbers[0];
}

static void used() { std::printf("%d\n", deep(90) > 0); }

static void fill_objects() {
    used();
    long total = 0;
    for (int i = 0; i < count; i++) {
        Object *each = objects[i];
        for (int k = 0; k < 32; k++) each->words[k] = k;
        total += each->words[31] + each->words[0];
    }
    std::printf("%ld\n", total);
}

static void begin() {
    task();
    cut_switch(&own_stack, main_stack);
    abort();
}

static void by_hand(char *memory, std::size_t size, void (*function)()) {
    void **top = reinterpret_cast<void **>(memory + size) - 8;
    std::memset(top, 0, 8 * sizeof *top);
    top[6] = reinterpret_cast<void *>(begin);
    task = function;
    cut_switch(&main_stack, top);
}

static void by_context(char *memory, std::size_t size, void (*function)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = memory;
    context.uc_stack.ss_size = size;
    context.uc_link = &main_context;
    makecontext(&context, function, 0);
    swapcontext(&main_context, &context);
}

static void cut(char *memory, std::size_t end) {
    count = 0;
    for (std::size_t at = 0; at + sizeof(Object) <= end; at += sizeof(Object))
        objects[count++] = reinterpret_cast<Object *>(memory + at);
}

static void run(char *memory) {
    for (auto start : {by_hand, by_context}) {
        start(memory, ALL, used);
        for (std::size_t at = 0; at < ALL; at += SIZE) start(memory + at, SIZE, used);
        cut(memory, 3 * SIZE);
        start(memory + 3 * SIZE, SIZE, fill_objects);
        start(memory, ALL, used);
    }
    by_context(memory, ALL, used);
    by_hand(memory + 2 * SIZE, SIZE, used);
    cut(memory, SIZE);
    by_hand(memory + SIZE, 2 * SIZE, fill_objects);
}

int main() {
    char own[ALL], *heap = nullptr;
    for (int round = 0; round < 2; round++) {
        heap = static_cast<char *>(std::malloc(ALL));
        run(heap);
        std::free(heap);
        char *mapped = static_cast<char *>(mmap(nullptr, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        run(mapped);
        munmap(mapped, ALL);
    }
    run(array);
    run(own);
    return 0;
}
