// Exceptions that pass frames of the C and C++ libraries, which are not instrumented, and of checked library
// functions: qsort, bsearch, call_once, a thread, a stream, a new handler, std::function, a future.
// RUN: cflags -pthread
// RUN: stdout "10 1\n"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <limits>
#include <mutex>
#include <new>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

struct Guard {
    Guard() : p(new long[4]) {}
    ~Guard() {
        p[3] = 1;
        delete[] p;
        passed++;
    }
    long *p;
    static int passed;
};
int Guard::passed = 0;

static int compare(const void *a, const void *b) {
    Guard guard;
    if (*static_cast<const int *>(a) == 7 || *static_cast<const int *>(b) == 7)
        throw std::runtime_error("seven must not be compared with anything in this array");
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

struct Refuses : std::streambuf {
    int_type overflow(int_type) override {
        Guard guard;
        throw std::logic_error("no room");
    }
};

static void handler() {
    Guard guard;
    throw std::bad_alloc();
}

template <class F> static bool throws(F f) {
    std::string local(50, 'x');
    try {
        Guard guard;
        f();
    } catch (const std::exception &e) {
        return e.what()[0] && local.size() == 50;
    }
    return false;
}

int main() {
    std::vector<int> numbers;
    for (int i = 0; i < 20; i++)
        numbers.push_back(i * 7 % 20);
    int seven = 7, caught = 0;
    caught += throws([&] { std::qsort(numbers.data(), numbers.size(), sizeof(int), compare); });
    caught += throws([&] { std::bsearch(&seven, numbers.data(), 20, sizeof(int), compare); });
    std::once_flag once;
    caught += throws([&] { std::call_once(once, [] { throw std::runtime_error("not this time"); }); });
    Refuses refuses;
    std::ostream out(&refuses);
    out.exceptions(std::ios::badbit);
    caught += throws([&] { out << "text"; });
    std::set_new_handler(handler);
    volatile std::size_t size = std::numeric_limits<std::ptrdiff_t>::max();
    caught += throws([&] { numbers.resize(*new char[size]); });
    std::set_new_handler(nullptr);
    std::function<void()> deep = [] { throw std::out_of_range(std::string(100, 'o')); };
    caught += throws([&] { deep(); });
    caught += throws([] { std::vector<int>().at(3); });
    caught += throws([] { (void)std::stoi("no number at all"); });
    auto future = std::async(std::launch::async, [] { throw std::runtime_error("in another thread"); });
    caught += throws([&] { future.get(); });
    std::exception_ptr kept;
    std::thread([&kept] {
        try {
            Guard guard;
            throw std::runtime_error("kept until the thread has ended");
        } catch (...) {
            kept = std::current_exception();
        }
    }).join();
    caught += throws([&] { std::rethrow_exception(std::move(kept)); });
    std::printf("%d %d\n", caught, Guard::passed >= 14);
    return caught != 10;
}
