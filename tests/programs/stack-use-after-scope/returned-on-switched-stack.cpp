// Coroutines with a switch written by hand, on stacks that were used before, read an array of a function that has returned,
// and one that is larger than what else lies below.
// RUN: options --keep-going
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <initializer_list>
#include <sys/mman.h>

extern "C" void switch_stack(void **from, void *to);
__asm__(".text\n"
        ".globl switch_stack\n"
        ".type switch_stack, @function\n"
        "switch_stack:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size switch_stack, .-switch_stack\n");

static const std::size_t SIZE = 1 << 17;
static void *main_stack, *own_stack;
static void (*task)();
static int *kept;
alignas(64) static char array[SIZE];

static void leave() { switch_stack(&own_stack, main_stack); }

static void begin() {
    task();
    leave();
    abort();
}

static void start(char *memory, void (*function)()) {
    void **top = reinterpret_cast<void **>(memory + SIZE) - 8;
    std::memset(top, 0, 8 * sizeof *top);
    top[6] = reinterpret_cast<void *>(begin);
    task = function;
    switch_stack(&main_stack, top);
}

[[gnu::noinline]] static long sum(const int *numbers, int count) {
    long total = 0;
    for (int i = 0; i < count; i++) total += numbers[i];
    return total;
}

[[gnu::noinline]] static void fill(int *numbers, int count, int first) {
    for (int i = 0; i < count; i++) numbers[i] = first + i;
}

[[gnu::noinline]] static long deep(int depth, int how, std::jmp_buf &place) {
    int numbers[20];
    fill(numbers, 20, depth);
    if (depth) return deep(depth - 1, how, place) + sum(numbers, 20);
    if (how == 0) throw std::runtime_error("far");
    if (how == 1) std::longjmp(place, 1);
    if (how == 2) leave();
    return sum(numbers, 20);
}

static void run(int how) {
    std::jmp_buf place;
    try {
        if (!setjmp(place)) std::printf("%d\n", deep(30, how, place) > 0);
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
    int after[300];
    fill(after, 300, how);
    std::printf("%ld\n", sum(after, 300));
}

static void thrown() { run(0); }
static void jumped() { run(1); }
static void abandoned() { run(2); }
static void deepened() { run(3); }

[[gnu::noinline]] static void keep_small() {
    int small[10];
    fill(small, 10, 1);
    kept = small;
}

[[gnu::noinline]] static void keep_large() {
    int large[5000];
    fill(large, 5000, 1);
    kept = large;
}

static void near() {
    keep_small();
    int first = *kept; // EXPECT stack-use-after-scope read 4 block 40 inside 0
    std::printf("%d\n", first);
}

static void far() {
    keep_large();
    int first = *kept; // EXPECT stack-use-after-scope read 4 block 20000 inside 0
    std::printf("%d\n", first);
}

int main() {
    char *pool[] = {array, static_cast<char *>(std::malloc(SIZE)),
                    static_cast<char *>(mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))};
    for (char *memory : pool) {
        for (auto function : {deepened, thrown, abandoned, jumped, abandoned, thrown, near, far}) start(memory, function);
        std::memset(memory, 0, SIZE);
    }
    std::free(pool[1]);
    return munmap(pool[2], SIZE);
}
