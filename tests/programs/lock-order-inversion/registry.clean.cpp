// One thread takes both locks at once, in whatever order does not wait.
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
    std::scoped_lock both(session->mutex, registry);
    std::lock_guard<std::recursive_mutex> again(session->mutex);
    session->uses++;
}

static void list_sessions(Session *session) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::scoped_lock both(registry, session->mutex);
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
