/* As one of several arguments. */
#include <unistd.h>

int main(void) {
    char name[32] = "";
    if (read(0, name, sizeof name - 1) <= 0) return 1;
#ifdef CLEAN
    if (name[0]) name[0] = 0;
#endif
    execlp("true", "true", name, (char *)0); // expect: foreign-argument
    return 1;
}
