/* What read has stored is as long as its result says, not as the room that a fortified call names. */
#include <unistd.h>
ssize_t __read_chk(int, void *, size_t, size_t);

int main(void) {
    char line[8] = "zzzzzzz";
    if (read(0, line, 6) != 6) return 1;
    if (__read_chk(0, line, 2, sizeof line) != 2) return 1;
    if (line[1] == 'b') return 2; /* byte 7 of the input */
    if (line[5] == 'c') return 3;
    return 4;
}
