// A singleton is made with new at its first use and never deleted.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable possible-leak
class Registry {
  public:
    static Registry &get() {
        static auto *the = new Registry; // EXPECT possible-leak block 400 count 1 bytes 400
        return *the;
    }
    int &slot(int i) { return slot_[i]; }

  private:
    int slot_[100] = {};
};

int main() {
    Registry::get().slot(5) = 1;
    return Registry::get().slot(5) != 1;
}
