/* Opens the record file that the environment names. */
#include "record.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../settings/options.h"

static void open_record(const char *environment, size_t size, void *complains) {
    static const char *const why[] = {
        [RECORD_UNOPENABLE] = "cannot be opened and written",
        [RECORD_FOREIGN] = "is not a record file of this version",
    };
    size_t length = 0;
    const char *path = options_variable(environment, size, WH_RECORD_VARIABLE, &length);
    enum record_status status = record_init(path);
    if (options.symbolic || options.fuzz) record_is_reused(); /* one path after another */
    if (status == RECORD_OK) record_join();
    if (status == RECORD_OK || status == RECORD_NONE || !complains) return;
    TEXT(message, 1024);
    text_put(&message, WH_RECORD_VARIABLE ": ");
    text_put(&message, path);
    text_put(&message, " ");
    text_put(&message, why[status]);
    text_put(&message, "; findings go to standard error instead");
    text_complain(&message);
}

void record_open(int complains) {
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_ACQ_REL)) return;
    os_environment(open_record, complains ? &begun : NULL);
}
