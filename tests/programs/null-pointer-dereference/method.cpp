// A method that is not virtual is called on the null pointer, and reads a member.
class Stack {
  public:
    int depth() const { return depth_; } // EXPECT null-pointer-dereference read 4 address 64

  private:
    int slot_[16] = {};
    int depth_ = 0;
};

static Stack *current;

int main() {
    return current->depth();
}
