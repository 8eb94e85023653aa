/* Removes the file of its input. */
#include <stdio.h>

int main(int count, char **arguments) { return count > 1 ? remove(arguments[1]) : 1; }
