#include "spread.h"

/* The number before the next colon, which may be negative; 0 if there is none. */
static int next_number(const char **at, const char *end, int64_t *value) {
    int negative = *at < end && **at == '-';
    const char *digit = *at + negative, *first = digit;
    for (*value = 0; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
        if (*value > INT64_MAX / 16) return 0;
        *value = *value * 10 + (*digit - '0');
    }
    if (digit == first || (digit < end && *digit != ':')) return 0;
    if (negative) *value = -*value;
    *at = digit < end ? digit + 1 : end;
    return 1;
}

int spread_parse(const char *text, size_t length, struct kd_config *into, struct text *error) {
    const char *at = text, *end = text + length;
    int64_t begin, size, quarantine, red_zone, bin;
    kd_defaults(KD_SPREAD, into);
    struct kd_region_config *heap = &into->regions[KD_HEAP];
    int good = next_number(&at, end, &begin) && next_number(&at, end, &size) &&
               next_number(&at, end, &quarantine) && next_number(&at, end, &red_zone) &&
               begin >= 0 && size > 0 && red_zone >= 0 && quarantine >= -1 &&
               quarantine <= INT32_MAX;
    for (unsigned i = 0; good && i < KD_REGIONS; i++) into->regions[i].size = 0;
    if (good) {
        *heap = (struct kd_region_config){(uint64_t)begin, (uint64_t)size, (int32_t)quarantine, 0};
        into->red_zone = (uint64_t)red_zone;
        into->bins = 0;
    }
    while (good && at < end) {
        good = into->bins < KD_BINS_MOST && next_number(&at, end, &bin) && bin > 0;
        if (good) into->bin_sizes[into->bins++] = (uint64_t)bin;
    }
    if (!good) {
        text_put(error, WH_SPACE_VARIABLE ": '");
        text_put_n(error, text, length);
        text_put(error, "' is not begin:size:quarantine:red zone:bin:bin… in decimal numbers");
    }
    return good;
}
