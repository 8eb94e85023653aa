/* What %n stores depends on the number that is printed, which the path has no expression of. */
#include <err.h>
#include <error.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static char plain[] = "%d %%n\n", counting[] = "%d%n\n";

int main(int count, char **words) {
    int number = 5, digits = 0;
    klee_make_symbolic(&number, sizeof number, "number");
    switch (count > 1 ? atoi(words[1]) : 0) {
    case 0: printf("%d %%n\n", number); break;
    case 1: printf(plain, number); break;
    case 2: printf("%d%n\n", number, &digits); break;
    case 3: fprintf(stdout, counting, number, &digits); break;
    case 4: error(0, number, "%d", number); break;
    case 5: errx(1, "%d", number);
    case 6: errx(number, "%d", 1);
    case 7: warnx(counting, number, &digits); break;
    }
    return digits > 2;
}
