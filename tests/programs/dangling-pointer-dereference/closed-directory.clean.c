// A directory is read after closedir.
#include <dirent.h>
#include <stddef.h>

int main(void) {
    DIR *root = opendir("/");
    if (!root || !readdir(root))
        return 1;
    int end = readdir(root) == NULL;
    closedir(root);
    return end;
}
