/* modules: settings/options os/text os/os */
#include "../../../runtime/settings/options.h"
#include "unit.h"

static char message[512];

static int parse(const char *value, struct options *into) {
    struct text error = {message, sizeof message - 1, 0};
    int result = options_parse(value, strlen(value), into, &error);
    message[error.length] = 0;
    return result;
}

static void values_are_read_over_the_defaults(void) {
    struct options read, standard;
    CHECK(parse("", &standard));
    CHECK_EQUAL(standard.halt, 1);
    CHECK_EQUAL(standard.exitcode, 99);
    CHECK(parse("halt=0:alloc_frames=3", &read));
    CHECK_EQUAL(read.halt, 0);
    CHECK_EQUAL(read.alloc_frames, 3);
    CHECK_EQUAL(read.exitcode, 99);
    CHECK(parse("exitcode=0:exitcode=255", &read));
    CHECK_EQUAL(read.exitcode, 255);
}

static void mistakes_are_told_with_what_was_expected(void) {
    struct options read;
    CHECK(!parse("nonsense=1", &read));
    CHECK(strstr(message, "WHENCE_RT: unknown option in 'nonsense=1'"));
    CHECK(strstr(message, "halt, exitcode"));
    const char *const bad[] = {"halt",
                               "halt=",
                               "halt=2",
                               "halt=yes",
                               "halt=-1",
                               "halt=1 ",
                               " halt=1",
                               "halt=1::exitcode=3",
                               "exitcode=99999999999999999999",
                               "hal=1",
                               "haltt=1",
                               "=1",
                               "halt=0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!parse(bad[i], &read));
    CHECK(!parse("exitcode=256", &read));
    CHECK(strstr(message, "(expected exitcode=0..255)"));
}

static void variables_are_found_by_their_whole_name(void) {
    static const char block[] = "A=1\0WHENCE_RTX=2\0WHENCE_RT=halt=0\0EMPTY=\0NOVALUE\0LAST=z";
    size_t length;
    const char *value = options_variable(block, sizeof block - 1, "WHENCE_RT", &length);
    CHECK(value && length == 6 && !memcmp(value, "halt=0", 6));
    value = options_variable(block, sizeof block - 1, "EMPTY", &length);
    CHECK(value && length == 0);
    value = options_variable(block, sizeof block - 1, "LAST", &length);
    CHECK(value && length == 1);
    CHECK(!options_variable(block, sizeof block - 1, "NOVALUE", &length));
    CHECK(!options_variable(block, sizeof block - 1, "RT", &length));
    CHECK(!options_variable(block, 0, "A", &length));
}

int main(void) {
    values_are_read_over_the_defaults();
    mistakes_are_told_with_what_was_expected();
    variables_are_found_by_their_whole_name();
    return 0;
}
