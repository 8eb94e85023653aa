/* A maze of 7 lines: each byte of the input is a step, a wall or where it was before
 * ends the walk, and the exit aborts. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 28

static char maze[7][12] = {"+-+---+---+", "| |     |#|", "| | --+ | |", "| |   | | |",
                           "| +-- | | |", "|     |   |", "+-----+---+"};

int main(void) {
    char walk[STEPS];
    klee_make_symbolic(walk, sizeof walk, "walk");
    int x = 1, y = 1;
    maze[y][x] = 'X';
    for (int i = 0; i < STEPS; i++) {
        switch (walk[i]) {
        case 'w':
            y--;
            break;
        case 's':
            y++;
            break;
        case 'a':
            x--;
            break;
        case 'd':
            x++;
            break;
        default:
            exit(1);
        }
        if (maze[y][x] == '#') {
            printf("out of the maze: %.*s\n", i + 1, walk);
            abort();
        }
        if (maze[y][x] != ' ')
            exit(2);
        maze[y][x] = 'X';
    }
    return 0;
}
