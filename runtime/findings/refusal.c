#include "refusal.h"
#include "finding.h"
#include "rules.h"
#include "../os/os.h"
#include "../process/maps.h"
#include "../record/record.h"

/* Without rules nothing has been checked so far. */
static uint32_t moment(void) {
    if (rules_current) return WH_REFUSAL_MIDST;
    return record_is_first() ? WH_REFUSAL_FIRST : WH_REFUSAL_LATER;
}

int refusal_tell(const struct text *why) {
    rules_decline();
    record_open(0); /* the reason may come before the start does this */
    maps_tell_process();
    const struct wh_refusal head = {os_process(), moment(), (uint32_t)why->length, 0};
    const struct record_part parts[] = {{&head, sizeof head}, {why->begin, why->length}};
    return record_append(WH_RECORD_REFUSAL, parts, 2) == RECORD_OK;
}

_Noreturn void refusal_end(const struct text *why) {
    refusal_tell(why);
    text_complain(why);
    record_finish();
    finding_hold(TEXT_LIMIT_STATUS << 8);
    os_exit(TEXT_LIMIT_STATUS);
}
