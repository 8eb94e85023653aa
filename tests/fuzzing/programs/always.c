/* Aborts on each input. */
#include <stdlib.h>

int main(void) { abort(); }
