/* modules: leak/reported os/os */
#include "../../../runtime/leak/reported.h"
#include "unit.h"
#include "whence_abi.h"

int main(void) {
    CHECK(reported_first_time(1, 7, WH_CHECK_END));
    CHECK(reported_first_time(1, 7, WH_CHECK_END)); /* the end is not remembered */
    for (uint64_t block = 1; block <= 5000; block++)
        for (uint64_t rule = 0; rule < 3; rule++) CHECK(reported_first_time(rule, block, WH_CHECK_REQUEST));
    for (uint64_t block = 1; block <= 5000; block++)
        for (uint64_t rule = 0; rule < 3; rule++) {
            CHECK(!reported_first_time(rule, block, WH_CHECK_SIGNAL));
            CHECK(!reported_first_time(rule, block, WH_CHECK_END));
        }
    CHECK(reported_first_time(3, 5000, WH_CHECK_END));
    CHECK(reported_first_time(2, 5001, WH_CHECK_END));
    return 0;
}
