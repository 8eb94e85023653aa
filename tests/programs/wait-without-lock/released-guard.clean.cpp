// A guard holds the mutex of the wait.
// RUN: options --halt
#include <chrono>
#include <condition_variable>
#include <mutex>

class Gate {
    std::mutex mutex_;
    pthread_cond_t opened_ = PTHREAD_COND_INITIALIZER;
    bool open_ = true;

  public:
    int pass(const timespec &moment) {
        std::unique_lock<std::mutex> guard(mutex_);
        bool was_open = open_;
        int result = pthread_cond_timedwait(&opened_, mutex_.native_handle(), &moment);
        if (!was_open) guard.unlock();
        return result;
    }
};

int main() {
    Gate gate;
    timespec moment{1, 0};
    return gate.pass(moment) == 0;
}
