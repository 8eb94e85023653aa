// The pointer is tested first.
// RUN: options --enable nonnull-argument
class List {
  public:
    int size() const { return this ? length : 0; }

  private:
    int length = 1;
};

static int size_of(const List *list) {
    return list ? list->size() : 0;
}

int main(int argc, char **argv) {
    List list;
    return size_of(argv[argc] ? &list : nullptr) == 77;
}
