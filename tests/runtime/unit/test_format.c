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

static struct format_place places[FORMAT_MOST];
static char contents[FORMAT_MOST][16];

static size_t placed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t count = format_printf_places(format, arguments, places);
    for (size_t i = 0; i < count; i++) memcpy(contents[i], places[i].begin, places[i].size);
    va_end(arguments);
    return count;
}

static int place_holds(int at, const void *value, size_t size) {
    return places[at].size == size && !memcmp(contents[at], value, size);
}

static void arguments_are_found_where_they_are(void) {
    const int seven = 7, eight = 8;
    const long large = 1l << 40;
    const double half = 0.5;
    const long double third = 3.25l;
    CHECK_EQUAL(placed("%d %f %Lf %ld %hhd %c %d %d %d %Lf", 1, half, third, large, 3, 'x', 6,
                       seven, eight, third),
                10);
    CHECK(place_holds(1, &half, 8) && place_holds(2, &third, 10) && place_holds(3, &large, 8));
    CHECK_EQUAL(places[4].size, 1);
    CHECK_EQUAL(places[5].size, 1);
    CHECK(place_holds(7, &seven, 4) && place_holds(8, &eight, 4) && place_holds(9, &third, 10));
    CHECK_EQUAL(placed("%*.*f %s", 7, 8, half, a), 4);
    CHECK(place_holds(0, &seven, 4) && place_holds(1, &eight, 4) && place_holds(2, &half, 8));
    CHECK(place_holds(3, &a, 8));
    CHECK_EQUAL(placed("%2$d", 1, seven), 2);
    CHECK(places[0].size == 0 && place_holds(1, &seven, 4));
    CHECK_EQUAL(placed("%f %f %f %f %f %f %f %f %f", .1, .2, .3, .4, .6, .7, .8, .9, half), 9);
    CHECK(place_holds(8, &half, 8));
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
    arguments_are_found_where_they_are();
    scanf_destinations();
    scanf_sets_may_hold_brackets();
    return 0;
}
