// A recursive lock of an object in the heap, and one that others share, in two orders.
// RUN: options --halt
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <chrono>

struct Session {
    std::recursive_mutex mutex;
    int uses = 0;
};

static std::shared_mutex registry;

static void close_session(Session *session) {
    std::lock_guard<std::recursive_mutex> own(session->mutex);
    std::lock_guard<std::recursive_mutex> again(session->mutex);
    std::unique_lock<std::shared_mutex> all(registry);
    session->uses++;
}

static void list_sessions(Session *session) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::shared_lock<std::shared_mutex> all(registry);
    std::lock_guard<std::recursive_mutex> own(session->mutex); // EXPECT lock-order-inversion in pthread_mutex_lock
    session->uses++;
}

int main() {
    auto session = std::make_unique<Session>();
    std::thread one(close_session, session.get());
    std::thread two(list_sessions, session.get());
    one.join();
    two.join();
    return session->uses != 2;
}
