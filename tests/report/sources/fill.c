#include <stdlib.h>
#include <string.h>

static void put(int *p, int i)
{
	p[i] = i;		/* a tab in front */
}

void fill(int *p, int n)
{
    for (int i = 0; i <= n; i++)
        put(p, i);
}

int first(const int *p)
{
    return p[0];
}

char *copy(const char *text, size_t size)
{
    char *buffer = malloc(20);
    memcpy(buffer, text, size);
    return buffer;
}

int main(void)
{
    int *p = malloc(5 * sizeof *p);
    fill(p, 5);
    free(p);
    free(p);
    free(p + 1);
    return first(p) + *copy("x", 100);
}
