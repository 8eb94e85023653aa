// A string from strdup is deleted as an array.
#include <cstring>

class Name {
  public:
    explicit Name(const char *text) : text_(strdup(text)) {} // ALLOC
    ~Name() {
        delete[] text_; // EXPECT mismatched-free block 6 inside 0
    }
    Name(const Name &) = delete;
    char first() const { return text_[0]; }

  private:
    char *text_;
};

int main() {
    Name name("whale");
    return name.first() != 'w';
}
