// A name of eight characters gets its end in the next member of the struct.
// RUN: options --enable index-out-of-bounds
#include <stdlib.h>
#include <string.h>

struct user {
    char name[8];
    int rights;
    int group;
};

static void set_name(struct user *user, const char *name) {
    size_t length = strlen(name);
    memcpy(user->name, name, length);
    user->name[length] = 0; // EXPECT index-out-of-bounds
}

int main(void) {
    struct user *user = calloc(1, sizeof *user);
    user->rights = -1;
    set_name(user, "abcdefgh");
    int wrong = user->rights == 7;
    free(user);
    return wrong;
}
