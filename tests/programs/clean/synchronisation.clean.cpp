// What the C++ library has for threads to meet at, used as it should be.
// RUN: cflags -std=c++20 -pthread
#include <barrier>
#include <condition_variable>
#include <future>
#include <iostream>
#include <latch>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>
#include <functional>
#include <memory>
#include <cassert>
struct Pool {
    std::mutex m;
    std::condition_variable cv;
    std::queue<std::function<void()>> q;
    bool stop = false;
    std::vector<std::thread> ts;
    Pool(int n) {
        for (int i = 0; i < n; i++)
            ts.emplace_back([this] {
                for (;;) {
                    std::unique_lock l(m);
                    cv.wait(l, [&] { return stop || !q.empty(); });
                    if (q.empty()) return;
                    auto f = std::move(q.front());
                    q.pop();
                    l.unlock();
                    f();
                }
            });
    }
    void put(std::function<void()> f) {
        {
            std::lock_guard l(m);
            q.push(std::move(f));
        }
        cv.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard l(m);
            stop = true;
        }
        cv.notify_all();
        for (auto &t : ts) t.join();
    }
};
static std::once_flag flag;
static int inits;
struct Late {
    std::mutex *m = nullptr;
    ~Late() {
        if (m) m->unlock();
    }
};
static thread_local Late late;
int main() {
    std::atomic<int> n{0};
    {
        Pool p(4);
        for (int i = 0; i < 2000; i++) p.put([&] { n++; });
    }
    {
        Pool a(2), b(2);
        for (int i = 0; i < 100; i++) a.put([&] { b.put([&] { n++; }); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::shared_mutex sm;
    int v = 0;
    {
        std::vector<std::jthread> ts;
        for (int i = 0; i < 4; i++)
            ts.emplace_back([&, i] {
                for (int k = 0; k < 200; k++)
                    if (k % 10 == i) {
                        std::unique_lock l(sm);
                        v++;
                    } else {
                        std::shared_lock l(sm);
                        (void)v;
                    }
            });
    }
    {
        std::vector<std::jthread> ts;
        for (int i = 0; i < 4; i++) ts.emplace_back([] { std::call_once(flag, [] { inits++; }); });
    }
    try {
        std::once_flag f;
        std::call_once(f, [] { throw 1; });
    } catch (int) {
    }
    auto f = std::async(std::launch::async, [] { return 7; });
    assert(f.get() == 7);
    std::promise<int> pr;
    auto fu = pr.get_future();
    std::thread pt([&] { pr.set_value_at_thread_exit(3); });
    fu.get();
    pt.join();
    std::packaged_task<int()> task([] { return 1; });
    auto tf = task.get_future();
    std::thread(std::move(task)).detach();
    tf.get();
    std::recursive_mutex rm;
    {
        std::lock_guard a(rm);
        std::lock_guard b(rm);
    }
    std::timed_mutex tm;
    {
        std::unique_lock l(tm, std::chrono::milliseconds(5));
        std::thread t([&] {
            std::unique_lock k(tm, std::chrono::milliseconds(5));
            assert(!k);
        });
        t.join();
    }
    std::recursive_timed_mutex rtm;
    {
        std::unique_lock l(rtm, std::chrono::milliseconds(5));
        std::unique_lock k(rtm, std::chrono::milliseconds(5));
    }
    std::shared_timed_mutex stm;
    {
        std::shared_lock l(stm);
        std::shared_lock k(stm);
    }
    std::condition_variable_any cva;
    {
        std::jthread t([&](std::stop_token st) {
            std::shared_lock l(sm);
            cva.wait(l, st, [] { return false; });
        });
    }
    std::condition_variable cv;
    std::mutex m;
    bool ready = false;
    {
        std::thread t([&] {
            std::unique_lock l(m);
            ready = true;
            std::notify_all_at_thread_exit(cv, std::move(l));
        });
        std::unique_lock l(m);
        cv.wait(l, [&] { return ready; });
        l.unlock();
        t.join();
    }
    {
        std::thread t([&] {
            m.lock();
            late.m = &m;
        });
        t.join();
        assert(m.try_lock());
        m.unlock();
    }
    std::latch la(3);
    {
        std::jthread a([&] { la.arrive_and_wait(); }), b([&] { la.arrive_and_wait(); });
        la.arrive_and_wait();
    }
    std::barrier ba(2);
    {
        std::jthread a([&] {
            ba.arrive_and_wait();
            ba.arrive_and_drop();
        });
        ba.arrive_and_wait();
    }
    std::counting_semaphore<4> cs(0);
    {
        std::jthread a([&] { cs.release(); });
        cs.acquire();
        cs.try_acquire();
    }
    {
        std::mutex a, b;
        std::thread t([&] {
            for (int i = 0; i < 1000; i++) {
                std::scoped_lock l(a, b);
            }
        });
        for (int i = 0; i < 1000; i++) {
            std::scoped_lock l(b, a);
        }
        t.join();
    }
    struct Node {
        std::mutex m;
        std::unique_ptr<Node> next;
        int x;
    };
    auto head = std::make_unique<Node>();
    head->next = std::make_unique<Node>();
    {
        std::vector<std::jthread> ts;
        for (int i = 0; i < 3; i++)
            ts.emplace_back([&] {
                for (int k = 0; k < 500; k++) {
                    std::unique_lock a(head->m);
                    std::unique_lock b(head->next->m);
                    a.unlock();
                    head->next->x++;
                }
            });
    }
    std::cout << n << v << inits << "done\n";
}
