// A pointer to a global structure is read through a type that begins with it.
struct small {
    int x, y;
};
struct large {
    struct small head;
    int z;
};

struct small point = {1, 2};

__attribute__((noinline)) static int depth(const struct small *p) {
    return ((const struct large *)p)->head.y;
}

int main(void) { return depth(&point) == 77; }
