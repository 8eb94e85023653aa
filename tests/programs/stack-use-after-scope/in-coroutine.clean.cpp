// Coroutines with a switch written by hand, on stacks from a pool that are left by exceptions, by longjmp and for ever;
// then one of them keeps a pointer to a variable that lives.
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <vector>

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

__attribute__((noinline)) static long sum(const int *numbers, int count) {
    long total = 0;
    for (int i = 0; i < count; i++) total += numbers[i];
    return total;
}

__attribute__((noinline)) static void fill(int *numbers, int count, int first) {
    for (int i = 0; i < count; i++) numbers[i] = first + i;
}

__attribute__((noinline)) static void deep(int depth, int how, std::jmp_buf &place) {
    int numbers[20];
    fill(numbers, 20, depth);
    if (depth) deep(depth - 1, how, place);
    if (!depth && how == 0) throw std::runtime_error("far");
    if (!depth && how == 1) std::longjmp(place, 1);
    if (!depth) leave();
    if (sum(numbers, 20) < 0) std::puts("negative");
}

static void run(int how) {
    std::jmp_buf place;
    int after[300];
    try {
        if (!setjmp(place)) deep(30, how, place);
    } catch (const std::exception &) {
    }
    for (int i = 0; i < 300; i++) after[i] = i;
    std::printf("%ld\n", sum(after, 300));
}

static void thrown() { run(0); }
static void jumped() { run(1); }
static void abandoned() { run(2); }

static void finished() {
    int numbers[100];
    int *kept = nullptr;
    fill(numbers, 100, 1);
    {
        int inner[50];
        fill(inner, 50, 2);
        kept = numbers;
        if (sum(inner, 50) < 0) kept = nullptr;
    }
    leave();
    std::printf("%ld\n", sum(kept, 50));
}

int main() {
    std::vector<char *> pool;
    for (int i = 0; i < 2; i++)
        pool.push_back(i ? static_cast<char *>(std::malloc(SIZE))
                         : static_cast<char *>(mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    for (char *memory : pool)
        for (auto function : {thrown, abandoned, jumped, abandoned, thrown}) start(memory, function);
    long left = 0;
    for (char *memory : pool) left += sum(reinterpret_cast<int *>(memory), SIZE / sizeof(int));
    std::printf("%d\n", left != 0);
    for (char *memory : pool) {
        start(memory, finished);
        switch_stack(&main_stack, own_stack);
        std::memset(memory, 0, SIZE);
    }
    munmap(pool[0], SIZE);
    std::free(pool[1]);
    char *again = static_cast<char *>(mmap(nullptr, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(again, 1, SIZE);
    return munmap(again, SIZE);
}
