// The innermost of many calls of one function writes past its own array.
#include <string.h>

__attribute__((noinline)) static int descend(int depth) {
    char bytes[20];
    memset(bytes, depth, (size_t)(depth == 0 ? 21 : 20));  // EXPECT stack-buffer-overflow write 21 block 20 after 0
    return depth == 0 ? bytes[1] : bytes[0] + descend(depth - 1);
}

int main(void) {
    return descend(50) != 1275;
}
