/* Files that a path writes and leaves behind. */
#ifndef WHENCE_SYMBOLIC_LEFT_H
#define WHENCE_SYMBOLIC_LEFT_H

/* A descriptor was opened: if a regular file that has a name can be written through it, the trace
 * says so. */
void left_open(int file);

#endif
