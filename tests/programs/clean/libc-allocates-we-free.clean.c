// Blocks that the C library allocates and the program frees, and the other way round.
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    int bad = 0;
    char *cwd = getcwd(NULL, 0), *real = realpath("/usr/..", NULL), *dir = get_current_dir_name();
    bad += !cwd || !real || strcmp(real, "/") != 0 || !dir;
    free(cwd);
    free(real);
    free(dir);
    struct dirent **names;
    int n = scandir("/", &names, NULL, alphasort);
    bad += n < 3;
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    glob_t g;
    bad += glob("/*", 0, NULL, &g) != 0 || g.gl_pathc < 3;
    globfree(&g);
    regex_t r;
    regmatch_t match[2];
    bad += regcomp(&r, "([a-z]+)=", REG_EXTENDED) != 0 || regexec(&r, "  key=1", 2, match, 0) != 0 || match[1].rm_so != 2;
    regfree(&r);
    char *line = malloc(4);
    size_t room = 4;
    FILE *f = fmemopen("a line that is longer than four\n", 32, "r");
    bad += getline(&line, &room, f) != 32 || room < 33;
    fclose(f);
    free(line);
    FILE *d = fopen("/dev/null", "w");
    fprintf(d, "%2000d", 1);
    fclose(d);
    return bad;
}
