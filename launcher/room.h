/* Room for the stack of the process where the user's limit leaves too little: memory below it, into
 * which it grows on. The limit bounds only what the kernel adds to a stack. */
#ifndef WHENCE_LAUNCHER_ROOM_H
#define WHENCE_LAUNCHER_ROOM_H

#define ROOM_SIZE (8ul << 20)

/* Maps memory right below the stack of the main thread, which calls this; 0 if it cannot. */
int room_make(void);

#endif
