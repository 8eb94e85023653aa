/* Each path removes, replaces and makes files, and looks for those that others have made. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int byte_of(const char *path) {
    FILE *file = fopen(path, "r");
    int byte = file ? getc(file) : EOF;
    if (file) fclose(file);
    return byte;
}

static void write_to(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file || fputs("left", file) == EOF) exit(98);
    fclose(file);
}

int main(void) {
    int one = byte_of("settings"), other = byte_of("deep/er"), status = 0;
    if (one == EOF || other == EOF) return 97;
    if (!access("made", F_OK) || !access("deep/made", F_OK) || !access("folder", F_OK)) return 99;
    write_to("made");
    write_to("deep/made");
    if (mkdir("folder", 0777)) return 96;
    write_to("folder/made");
    if (one & 1) status += 1, unlink("settings"), mkdir("settings", 0777);
    if (one & 2) status += 2, rename("folder/made", "deep/er");
    if (other & 1) status += 4, rename("deep", "moved");
    if (other & 2) status += 8, symlink("made", "link");
    return status;
}
