// A class owns a buffer and copies it in its copy constructor.
#include <cstring>

class Text {
  public:
    explicit Text(const char *s) : s_(new char[std::strlen(s) + 1]) { std::strcpy(s_, s); }
    Text(const Text &other) : Text(other.s_) {}
    ~Text() { delete[] s_; }
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
