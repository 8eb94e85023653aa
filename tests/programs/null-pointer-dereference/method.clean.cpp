// A method that is not virtual is called on an object, and reads a member.
class Stack {
  public:
    int depth() const { return depth_; }

  private:
    int slot_[16] = {};
    int depth_ = 0;
};

static Stack *current;

int main() {
    Stack s;
    current = &s;
    return current->depth();
}
