// A method writes after the last element of an array from new[].
#include <cstddef>

class Series {
  public:
    explicit Series(std::size_t n) : size_(n), item_(new double[n]) {} // ALLOC
    ~Series() { delete[] item_; }
    Series(const Series &) = delete;
    Series &operator=(const Series &) = delete;
    void set(std::size_t i, double x) {
        if (i <= size_)
            item_[i] = x; // EXPECT heap-buffer-overflow write 8 block 56 after 0
    }

  private:
    std::size_t size_;
    double *item_;
};

int main() {
    Series s(7);
    for (std::size_t i = 0; i < 8; i++)
        s.set(i, 1.5);
    return 0;
}
