// An inline thread-local array, and one of a class template, which each module may define: a thread fills the second.
// RUN: cflags -pthread -std=c++17
#include <cstdio>
#include <thread>

inline thread_local int numbers[6] = {1, 2};

template <class T> struct Pool {
    static thread_local T items[5];
};
template <class T> thread_local T Pool<T>::items[5];

__attribute__((noinline)) static void fill(int *at, int count) {
    for (int i = 0; i < count; i++) at[i] = i;
}

int main(int argc, char **argv) {
    fill(numbers, 6);
    std::thread([argc] { fill(Pool<int>::items, 4 + argc); }).join();
    std::printf("%d\n", numbers[5] + Pool<int>::items[4]);
    return 0;
}
