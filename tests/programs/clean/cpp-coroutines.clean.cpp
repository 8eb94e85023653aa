// C++20 coroutines: a generator, nested tasks, an exception out of one, one that is destroyed half-way, a frame
// allocated by the promise's own operator.
// RUN: cflags -std=c++20
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

static int frames = 0;

template <class T> struct Generator {
    struct promise_type {
        static void *operator new(std::size_t size) {
            frames++;
            return std::malloc(size);
        }
        static void operator delete(void *p) {
            frames--;
            std::free(p);
        }
        Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(T v) {
            value = std::move(v);
            return {};
        }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
        T value{};
        std::exception_ptr error;
    };
    explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
    Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, {})) {}
    ~Generator() {
        if (handle)
            handle.destroy();
    }
    bool next() {
        handle.resume();
        if (handle.promise().error)
            std::rethrow_exception(handle.promise().error);
        return !handle.done();
    }
    std::coroutine_handle<promise_type> handle;
};

static Generator<std::string> words(int n, std::string prefix) {
    std::unique_ptr<int[]> counts(new int[n]());
    for (int i = 0; i < n; i++) {
        counts[i] = i;
        co_yield prefix + std::to_string(counts[i]);
    }
}

static Generator<std::size_t> lengths(int n) {
    auto inner = words(n, "a prefix that is too long for the small buffer ");
    while (inner.next())
        co_yield inner.handle.promise().value.size();
    throw std::runtime_error("at the end");
}

int main() {
    std::size_t sum = 0;
    bool thrown = false;
    {
        auto all = lengths(20);
        try {
            while (all.next())
                sum += all.handle.promise().value;
        } catch (const std::runtime_error &) {
            thrown = true;
        }
        auto half = words(10, "left in the middle of its loop, with live locals ");
        half.next();
        half.next();
    }
    return sum < 900 || !thrown || frames != 0;
}
