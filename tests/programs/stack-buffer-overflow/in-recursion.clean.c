// Each of many calls of one function fills its own array.
#include <string.h>

__attribute__((noinline)) static int descend(int depth) {
    char bytes[20];
    memset(bytes, depth, (size_t)(depth == 0 ? 20 : 20));
    return depth == 0 ? bytes[1] : bytes[0] + descend(depth - 1);
}

int main(void) {
    return descend(50) != 1275;
}
