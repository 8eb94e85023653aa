// A buffer gives back its number of bytes.
// RUN: cflags -std=c++17 -fsized-deallocation
#include <cstddef>
#include <new>

class Buffer {
  public:
    explicit Buffer(std::size_t count) : count_(count), data_(static_cast<int *>(::operator new(count * sizeof(int)))) {}
    ~Buffer() {
        ::operator delete(data_, count_ * sizeof(int));
    }
    Buffer(const Buffer &) = delete;
    int &operator[](std::size_t i) { return data_[i]; }

  private:
    std::size_t count_;
    int *data_;
};

int main() {
    Buffer buffer(10);
    buffer[9] = 0;
    return buffer[9];
}
