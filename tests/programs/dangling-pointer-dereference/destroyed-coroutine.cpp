// A coroutine's promise is read after its frame has been destroyed.
// RUN: cflags -std=c++20
#include <coroutine>

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(int v) { value = v; }
        void unhandled_exception() {}
        int value = 0;
    };
    std::coroutine_handle<promise_type> handle;
};

static Task answer() { co_return 42; } // ALLOC FREE

int main() {
    Task task = answer();
    auto &promise = task.handle.promise();
    int bad = !task.handle.done();
    task.handle.destroy();
    return bad + (promise.value != 42); // EXPECT dangling-pointer-dereference read 4
}
