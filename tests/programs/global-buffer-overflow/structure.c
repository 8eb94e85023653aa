// A pointer to a global structure is taken for one to a larger one.
struct small {
    int x, y;
};
struct large {
    struct small head;
    int z;
};

struct small point = {1, 2};

__attribute__((noinline)) static int depth(const struct small *p) {
    return ((const struct large *)p)->z;  // EXPECT global-buffer-overflow read 4 block 8 after 0
}

int main(void) { return depth(&point) == 77; }
