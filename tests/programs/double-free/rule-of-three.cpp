// A class owns a buffer and has no copy constructor; the copy's destructor frees the buffer again.
#include <cstring>

class Text {
  public:
    explicit Text(const char *s) : s_(new char[std::strlen(s) + 1]) { std::strcpy(s_, s); } // ALLOC
    ~Text() { delete[] s_; } // FREE EXPECT double-free block 6 inside 0
    char first() const { return s_[0]; }

  private:
    char *s_;
};

static char first(Text t) {
    return t.first();
}

int main() {
    Text t("hello");
    return first(t) != 'h';
}
