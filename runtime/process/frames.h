/* Frames apart: where the local variables of functions lie whose addresses may outlive the call.
 *
 * On the stack the next function takes the memory of a variable, and a pointer that outlived it
 * leads to what that one has there. So such variables lie in frames of their own, which are taken
 * in turns: until all others of the class have been taken, nothing uses the memory again. A thread
 * has a ring of frames for each class of sizes (whence.abi.zones.FRAME_ROW), in memory near the
 * begin of its stack, below which its program's functions have their frames. Code that searches
 * a stack for pointers finds them there, and a program that asks whether an address is on its
 * stack gets the same answer. Generated code takes frames and gives them back.
 *
 * Where all frames of a class are taken, as in deep recursion, variables lie on the stack, and so
 * they do on stacks that the program made: such a stack may go on in another thread. Frames that
 * longjmp or an exception left behind are given back when no other one is free.
 */
#ifndef WHENCE_PROCESS_FRAMES_H
#define WHENCE_PROCESS_FRAMES_H

#include <stdint.h>

/* How many bytes hold the frames apart of a thread with so large a stack; 0: it has none. */
uint64_t frames_room(uint64_t stack);

/* The calling thread has its frames apart in memory of so many bytes, which lies on its stack, and
 * no others; 0: it has none. Code that runs below the memory takes them. */
void frames_begin(uintptr_t begin, uint64_t size);
void frames_end(void);

/* A frame apart that has been taken at some time. */
struct frame_apart {
    uintptr_t begin;
    uint64_t size;
    uint64_t thread; /* number of the thread whose it is */
};

/* The frame that the address lies in; 0 if none was ever taken there. */
int frames_at(uintptr_t address, struct frame_apart *frame);

/* The end of the frames apart of the thread in whose the address lies; 0 if it lies in none. */
uintptr_t frames_around(uintptr_t address, uintptr_t *begin);

typedef void frames_visitor(uintptr_t begin, uintptr_t end, int system, int file);

/* Visits [begin, end) without what is of no frame that is taken, or of the frame of a function
 * whose own lies below `begin`: it has been left. */
void frames_visit(uintptr_t begin, uintptr_t end, int system, int file, frames_visitor *visit);

#endif
