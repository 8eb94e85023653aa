// A container inside a buffer ends in the middle of a word; its elements and what follows it are used.
#include <stdlib.h>

void __sanitizer_annotate_contiguous_container(const void *, const void *, const void *,
                                               const void *);
int __sanitizer_verify_contiguous_container(const void *, const void *, const void *);

int main(void) {
    char *buffer = malloc(64), *end = buffer + 45;
    __sanitizer_annotate_contiguous_container(buffer, end, end, buffer + 20);
    if (!__sanitizer_verify_contiguous_container(buffer, buffer + 20, end))
        return 1;
    end[0] = 1;
    buffer[19] = 1;
    __sanitizer_annotate_contiguous_container(buffer, end, buffer + 20, end);
    int wrong = !__sanitizer_verify_contiguous_container(buffer, end, end);
    free(buffer);
    return wrong;
}
