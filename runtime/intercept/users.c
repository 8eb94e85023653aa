/* Another user may not reach the launcher. */
#include "check.h"

#include <unistd.h>

static void becoming(uid_t user) {
    if (user != (uid_t)-1 && user != geteuid()) port_before_leaving();
}

WRAP(int, setuid, (uid_t user)) {
    becoming(user);
    return setuid(user);
}

WRAP(int, seteuid, (uid_t user)) {
    becoming(user);
    return seteuid(user);
}

WRAP(int, setreuid, (uid_t real, uid_t effective)) {
    becoming(effective);
    return setreuid(real, effective);
}

WRAP(int, setresuid, (uid_t real, uid_t effective, uid_t saved)) {
    becoming(effective);
    return setresuid(real, effective, saved);
}
