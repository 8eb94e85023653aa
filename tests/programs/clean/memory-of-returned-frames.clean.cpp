// The memory of functions that have returned serves arguments by value, saved registers, library
// functions that call back, other threads, signal handlers and code without zones.
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Wide {
    long words[24];
    long sum() const {
        long total = 0;
        for (long each : words)
            total += each;
        return total;
    }
};

static void *volatile anywhere;

[[gnu::noinline]] static long litter(int depth) {
    char room[192];
    std::memset(room, depth, sizeof room);
    anywhere = room;
    return depth > 0 ? litter(depth - 1) + room[7] : room[7];
}

[[gnu::noinline]] static long by_value(Wide wide, const Wide *same) {
    const Wide *volatile own = &wide;
    return own->sum() == same->sum() ? own->sum() : -1;
}

[[gnu::noinline]] static long by_list(int count, va_list list) {
    long total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, long);
    return total;
}

[[gnu::noinline]] static long variadic(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    long total = by_list(count, list);
    total += by_list(count, copy);
    va_end(copy);
    va_end(list);
    return total;
}

static int ascending(const void *a, const void *b) {
    long x = *static_cast<const long *>(a), y = *static_cast<const long *>(b);
    litter(1);
    return (x > y) - (x < y);
}

[[gnu::noinline, gnu::disable_sanitizer_instrumentation]] static long without_zones(long (*use)(long *)) {
    long own[4] = {1, 2, 3, 4};
    return use(own);
}

[[gnu::noinline]] static long sum_of(long *four) {
    long total = 0;
    for (int i = 0; i < 4; i++)
        total += four[i];
    return total;
}

static jmp_buf back;

[[gnu::noinline]] static void jump(int *counter) {
    int local = *counter;
    anywhere = &local;
    ++*counter;
    std::longjmp(back, local + 1);
}

static volatile std::sig_atomic_t signals;

static void on_signal(int) {
    char room[64];
    anywhere = room;
    room[0] = 1;
    signals = signals + room[0];
}

[[gnu::noinline]] static std::string thrown(int depth) {
    std::string text = "at " + std::to_string(depth);
    if (!depth)
        throw std::runtime_error(text);
    return thrown(depth - 1) + text;
}

int main() {
    long failures = 0;
    Wide wide = {};
    for (long i = 0; i < 24; i++)
        wide.words[i] = i;
    std::signal(SIGUSR1, on_signal);
    volatile int jumps = 0;
    for (int round = 0; round < 50; round++) {
        litter(12);
        failures += by_value(wide, &wide) != 276;
        litter(3);
        failures += variadic(9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L) != 90;
        litter(12);
        long numbers[40];
        for (int i = 0; i < 40; i++)
            numbers[i] = (i * 7) % 40;
        std::qsort(numbers, 40, sizeof *numbers, ascending);
        failures += !std::is_sorted(numbers, numbers + 40);
        litter(12);
        failures += without_zones(sum_of) != 10;
        litter(12);
        int counter = round;
        if (!setjmp(back))
            jump(&counter);
        jumps = jumps + 1;
        litter(2);
        std::raise(SIGUSR1);
        try {
            thrown(6);
        } catch (const std::runtime_error &error) {
            litter(4);
            failures += std::strcmp(error.what(), "at 0") != 0;
        }
        std::thread([] { litter(20); }).join();
        std::thread([&failures, &wide] {
            litter(2);
            failures += by_value(wide, &wide) != 276;
        }).join();
        char line[80];
        std::snprintf(line, sizeof line, "%d %s %.2f", round, "text", round / 2.0);
        int number = -1;
        failures += std::sscanf(line, "%d", &number) != 1 || number != round;
    }
    return failures != 0 || jumps != 50 || signals != 50;
}
