/* modules: intercept/format */
#include "../../../runtime/intercept/format.h"
#include "unit.h"

static size_t printed(struct format_value *values, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t count = format_printf_values(format, arguments, values);
    va_end(arguments);
    return count;
}

static size_t scanned(struct format_value *values, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t count = format_scanf_values(format, arguments, values);
    va_end(arguments);
    return count;
}

static struct format_value values[FORMAT_MOST];
static const char *const a = "a", *const b = "b";

static void strings_are_found_among_other_arguments(void) {
    CHECK_EQUAL(printed(values, "%d %5.3f %s %lld %Lf %c %s", 1, 2.0, a, 3ll, 4.0l, 'x', b), 2);
    CHECK(values[0].pointer == a && values[1].pointer == b);
    CHECK(values[0].precision < 0);
    CHECK_EQUAL(printed(values, "no conversions, 100%%"), 0);
    CHECK_EQUAL(printed(values, "%%%s%%", a), 1);
    CHECK_EQUAL(
        printed(values, "%zu %jd %td %hhd %hd %p %m %#x %s", (size_t)1, 2l, 3l, 4, 5, a, 6, a), 1);
    CHECK(values[0].pointer == a);
}

static void precision_comes_from_the_format_or_an_argument(void) {
    CHECK_EQUAL(printed(values, "%.5s", a), 1);
    CHECK_EQUAL(values[0].precision, 5);
    CHECK_EQUAL(printed(values, "%.s", a), 1);
    CHECK_EQUAL(values[0].precision, 0);
    CHECK_EQUAL(printed(values, "%*.*s", 8, 3, a), 1);
    CHECK_EQUAL(values[0].precision, 3);
    CHECK(values[0].pointer == a);
    CHECK_EQUAL(printed(values, "%-10.*s|%s", -1, a, b), 2);
    CHECK(values[0].precision < 0);
    CHECK(values[1].pointer == b);
}

static void positions_may_come_in_any_order(void) {
    CHECK_EQUAL(printed(values, "%3$s %1$d %2$.*4$s", 1, a, b, 7), 2);
    CHECK(values[0].pointer == b && values[1].pointer == a);
    CHECK_EQUAL(values[1].precision, 7);
}

static void stores_know_their_size(void) {
    int n;
    char tiny;
    long wide;
    CHECK_EQUAL(printed(values, "%n%hhn%ln", &n, &tiny, &wide), 3);
    CHECK_EQUAL(values[0].item.size, 4);
    CHECK_EQUAL(values[1].item.size, 1);
    CHECK_EQUAL(values[2].item.size, 8);
    CHECK_EQUAL(printed(values, "%ls %S", L"x", L"y"), 2);
    CHECK_EQUAL(values[0].item.kind, FORMAT_WIDE_STRING);
    CHECK_EQUAL(values[1].item.kind, FORMAT_WIDE_STRING);
}

/* What follows a conversion that we do not know is not guessed at. */
static void the_walk_ends_where_it_loses_track(void) {
    CHECK_EQUAL(printed(values, "%s %y %s", a, 1, b), 1);
    CHECK_EQUAL(printed(values, "%s %", a), 1);
    CHECK_EQUAL(printed(values, "%s %5", a), 1);
    CHECK_EQUAL(printed(values, "%999999999999s", a), 1);
    CHECK_EQUAL(printed(values, "%0$s", a), 1);
    CHECK_EQUAL(printed(values, "%99$s", a), 0);
    char many[FORMAT_MOST * 2 * 2 + 1];
    for (int i = 0; i < FORMAT_MOST * 2; i++) memcpy(many + 2 * i, "%m", 2);
    memcpy(many + FORMAT_MOST * 4 - 2, "%s", 3);
    CHECK_EQUAL(printed(values, many, a), 1);
}

static void scanf_destinations(void) {
    int i;
    double d;
    float f;
    char text[8], *made;
    CHECK_EQUAL(scanned(values, "%d %lf %f %7s %*d %ms %hhd%n", &i, &d, &f, text, &made, text, &i),
                7);
    CHECK_EQUAL(values[0].item.size, 4);
    CHECK_EQUAL(values[1].item.size, 8);
    CHECK_EQUAL(values[2].item.size, 4);
    CHECK_EQUAL(values[3].item.kind, FORMAT_SET);
    CHECK_EQUAL(values[3].item.width, 7);
    CHECK(values[3].pointer == text);
    CHECK_EQUAL(values[4].item.kind, FORMAT_MAKE);
    CHECK_EQUAL(values[5].item.size, 1);
    CHECK_EQUAL(values[6].item.conversion, 'n');
}

static void scanf_sets_may_hold_brackets(void) {
    char x[4];
    int i;
    CHECK_EQUAL(scanned(values, "%3[]a-z]%d", x, &i), 2);
    CHECK_EQUAL(values[1].item.kind, FORMAT_STORE);
    CHECK_EQUAL(scanned(values, "%[^]%d]%d", x, &i), 2);
    CHECK_EQUAL(scanned(values, "%[unclosed", x), 1);
    CHECK_EQUAL(scanned(values, "%2$d %1$s", x, &i), 2);
    CHECK(values[0].pointer == &i);
}

int main(void) {
    strings_are_found_among_other_arguments();
    precision_comes_from_the_format_or_an_argument();
    positions_may_come_in_any_order();
    stores_know_their_size();
    the_walk_ends_where_it_loses_track();
    scanf_destinations();
    scanf_sets_may_hold_brackets();
    return 0;
}
