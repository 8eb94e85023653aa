// A directory is read after closedir.
#include <dirent.h>
#include <stddef.h>

int main(void) {
    DIR *root = opendir("/"); // ALLOC
    if (!root || !readdir(root))
        return 1;
    closedir(root); // FREE
    return readdir(root) == NULL; // EXPECT dangling-pointer-dereference read 1 inside 0 in readdir
}
