/* modules: settings/environment */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/settings/environment.h"
#include "unit.h"

static void restored_in_place(void) {
    char *entries[] = {"A=1",
                       "LD_PRELOAD=/rt.so:/users.so",
                       "WHENCE_RT=halt=1",
                       "WHENCE_LD_PRELOAD=/users.so",
                       "LD_LIBRARY_PATH=/run/lib",
                       "WHENCE_RECORD=/run/record",
                       "WHENCE_CACHE=/mine",
                       "WHENCE_SERVICE=/run/service",
                       "WHENCE_EVEN=",
                       "Z=",
                       NULL,
                       "behind"};
    environment_restore(entries);
    CHECK(!strcmp(entries[0], "A=1"));
    CHECK(!strcmp(entries[1], "LD_PRELOAD=/users.so"));
    CHECK(!strcmp(entries[2], "WHENCE_CACHE=/mine"));
    CHECK(!strcmp(entries[3], "Z="));
    CHECK(!entries[4]);
    for (int pair = 5; pair < 11; pair += 2)
        CHECK((uintptr_t)entries[pair] == AT_IGNORE && !entries[pair + 1]);
    CHECK(!strcmp(entries[11], "behind"));
}

static void what_was_ours_is_known(void) {
    size_t count = 0;
    int record = 0, preload = 0;
    for (; environment_ours(count); count++) {
        record += !strcmp(environment_ours(count), "WHENCE_RECORD=/run/record");
        preload += !strcmp(environment_ours(count), "LD_PRELOAD=/rt.so:/users.so");
    }
    CHECK(count == 7 && record == 1 && preload == 1);
}

/* Started by hand: a preloaded library is the user's own. */
static void nobodys_environment_stays(void) {
    char *entries[] = {"LD_PRELOAD=/rt.so", "B=2", NULL};
    environment_restore(entries);
    CHECK(!strcmp(entries[0], "LD_PRELOAD=/rt.so") && !strcmp(entries[1], "B=2") && !entries[2]);
}

static void values(void) {
    char *entries[] = {"PATHS=/no", "PATH=/bin", "EMPTY=", NULL};
    CHECK(!strcmp(environment_value(entries, "PATH"), "/bin"));
    CHECK(!strcmp(environment_value(entries, "EMPTY"), ""));
    CHECK(!environment_value(entries, "PAT") && !environment_value(NULL, "PATH"));
    CHECK(environment_is_ours("LD_PRELOAD=x") && !environment_is_ours("LD_PRELOADED=x"));
    CHECK(!environment_is_ours("WHENCE_CACHE=/mine"));
}

int main(void) {
    restored_in_place();
    what_was_ours_is_known();
    nobodys_environment_stays();
    values();
    return 0;
}
