// A queue hands on jobs under a lock; its owner frees a job that it has seen done by a count that orders.
// RUN: options --enable races
#include <atomic>
#include <mutex>
#include <thread>

struct Job {
    int input = 3, output = 0;
};

static std::mutex lock;
static Job *queued;
static std::atomic<int> done;

static void work() {
    for (;;) {
        std::unique_lock<std::mutex> held(lock);
        Job *job = queued;
        queued = nullptr;
        held.unlock();
        if (!job) {
            std::this_thread::yield();
            continue;
        }
        job->output = job->input * 2;
        done.store(1, std::memory_order_release);
        return;
    }
}

int main() {
    std::thread worker(work);
    Job *job = new Job;
    {
        std::lock_guard<std::mutex> held(lock);
        queued = job;
    }
    while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
    delete job;
    worker.join();
    return 0;
}
