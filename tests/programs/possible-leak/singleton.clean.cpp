// A singleton is a static variable of a function, destroyed after main, and owns no block at its
// end.
// RUN: options --enable possible-leak
class Registry {
  public:
    static Registry &get() {
        static Registry the;
        return the;
    }
    int &slot(int i) { return slot_[i]; }

  private:
    int slot_[100] = {};
};

int main() {
    Registry::get().slot(5) = 1;
    return Registry::get().slot(5) != 1;
}
