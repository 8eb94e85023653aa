// A container inside a buffer ends in the middle of a word; an element behind its last one is used.
#include <stdlib.h>

void __sanitizer_annotate_contiguous_container(const void *, const void *, const void *,
                                               const void *);
int __sanitizer_verify_contiguous_container(const void *, const void *, const void *);

int main(void) {
    char *buffer = malloc(64), *end = buffer + 45; // ALLOC
    __sanitizer_annotate_contiguous_container(buffer, end, end, buffer + 20);
    if (!__sanitizer_verify_contiguous_container(buffer, buffer + 20, end))
        return 1;
    end[0] = 1;
    buffer[20] = 1; // EXPECT use-after-poison write 1
    __sanitizer_annotate_contiguous_container(buffer, end, buffer + 20, end);
    int wrong = !__sanitizer_verify_contiguous_container(buffer, end, end);
    free(buffer);
    return wrong;
}
