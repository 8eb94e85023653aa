/* Memory that is freed too early. Its address is given again at once where nothing holds it back, and then no
 * access is to memory without a block. After figure 2 of Schemmel et al., ISSTA 2023. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *x = malloc(sizeof(int));
    *x = 1;
    free(x);
    int *y = malloc(sizeof(int));
    *y = 2;
    printf("%p:%d\n%p:%d\n", (void *)x, *x, (void *)y, *y);
    free(y);
}
