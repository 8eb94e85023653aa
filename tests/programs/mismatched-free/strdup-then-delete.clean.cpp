// A string from strdup is freed.
#include <cstdlib>
#include <cstring>

class Name {
  public:
    explicit Name(const char *text) : text_(strdup(text)) {}
    ~Name() {
        free(text_);
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
