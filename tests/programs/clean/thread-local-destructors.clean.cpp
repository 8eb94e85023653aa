// Objects with thread_local storage: constructors on first use in each thread, destructors at the thread's end
// and at exit, a destructor that makes another thread_local object, and one that frees for another.
// RUN: cflags -pthread
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> born{0}, gone{0};

struct Late {
    Late() { born++; }
    ~Late() {
        text.clear();
        gone++;
    }
    std::string text = "a thread_local that is made by the destructor of another";
};

static std::string &late() {
    thread_local Late object;
    return object.text;
}

struct Keeps {
    Keeps() : values(new int[10]()) { born++; }
    ~Keeps() {
        late().append(std::to_string(values[9]));
        delete[] values;
        gone++;
    }
    int *values;
};

thread_local Keeps keeps;
thread_local std::unique_ptr<std::vector<std::string>> words;
thread_local std::string name = "a name that is too long for the small buffer";

static void work(int n) {
    keeps.values[9] = n;
    words = std::make_unique<std::vector<std::string>>(n, name);
    name += std::to_string(n);
}

static void check() { std::_Exit(born != gone + 0 || born != 22); }

int main() {
    std::atexit(check); // before any thread_local of this thread: runs after their destructors
    std::vector<std::thread> threads;
    for (int i = 1; i <= 10; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
    if (born != 20 || gone != 20)
        return 1;
    work(3);
}
