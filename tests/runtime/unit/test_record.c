/* modules: record/record record/known os/os os/text */
#include "../../../runtime/record/record.h"
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH "record"

static void make(off_t size) {
    int file = open(PATH, O_CREAT | O_TRUNC | O_RDWR, 0600);
    CHECK(file >= 0 && ftruncate(file, size) == 0);
    close(file);
}

static struct wh_record_header header(void) {
    struct wh_record_header read_back;
    int file = open(PATH, O_RDONLY);
    CHECK(read(file, &read_back, sizeof read_back) == sizeof read_back);
    close(file);
    return read_back;
}

static void what_is_not_a_record_file_is_refused(void) {
    CHECK_EQUAL(record_init(NULL), RECORD_NONE);
    CHECK_EQUAL(record_init(""), RECORD_NONE);
    CHECK_EQUAL(record_init("no/such/file"), RECORD_UNOPENABLE);
    CHECK_EQUAL(record_init("."), RECORD_UNOPENABLE);
    CHECK_EQUAL(record_init("/dev/full"), RECORD_FOREIGN);
    make(100);
    CHECK_EQUAL(record_init(PATH), RECORD_FOREIGN);
    make(1 << 16);
    int file = open(PATH, O_RDWR);
    CHECK(write(file, "something else", 14) == 14);
    close(file);
    CHECK_EQUAL(record_init(PATH), RECORD_FOREIGN);
    struct record_part part = {"x", 1};
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, &part, 1), RECORD_NONE);
}

static void parts_are_padded_and_typed(void) {
    make(1 << 16);
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    CHECK_EQUAL(header().magic, WH_RECORD_MAGIC);
    CHECK_EQUAL(header().state, WH_FILE_RUNNING);
    CHECK_EQUAL(header().pid, (uint32_t)getpid());
    struct record_part parts[] = {{"abc", 3}, {"", 0}, {"12345678", 8}};
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, parts, 3), RECORD_OK);
    CHECK_EQUAL(header().used, WH_RECORD_HEADER_SIZE + 24);
    unsigned char bytes[32];
    int file = open(PATH, O_RDONLY);
    CHECK(pread(file, bytes, 32, WH_RECORD_HEADER_SIZE) == 32);
    close(file);
    const unsigned char expected[32] = {WH_RECORD_NOTE,
                                        0,
                                        0,
                                        0,
                                        24,
                                        0,
                                        0,
                                        0,
                                        'a',
                                        'b',
                                        'c',
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        '1',
                                        '2',
                                        '3',
                                        '4',
                                        '5',
                                        '6',
                                        '7',
                                        '8'};
    CHECK(memcmp(bytes, expected, 32) == 0);
}

static void a_second_process_appends(void) {
    uint64_t used = header().used;
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    CHECK_EQUAL(header().used, used);
    record_count_finding();
    CHECK_EQUAL(header().findings, 1);
}

static void a_full_file_drops_and_counts(void) {
    static char much[4096];
    struct record_part part = {much, sizeof much};
    unsigned fitted = 0;
    while (record_append(WH_RECORD_NOTE, &part, 1) == RECORD_OK) fitted++;
    CHECK_EQUAL(fitted, 14); /* 15 pages after the header's, less what was there */
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, &part, 1), RECORD_FULL);
    CHECK_EQUAL(header().dropped, 2);
}

static void a_file_cut_short_kills_nobody(void) {
    static char much[4096];
    struct record_part part = {much, sizeof much};
    make(1 << 20);
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, &part, 1), RECORD_OK);
    CHECK(truncate(PATH, 2 * 4096) == 0);
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, &part, 1), RECORD_FULL);
    CHECK_EQUAL(header().dropped, 1);
    CHECK(truncate(PATH, 0) == 0);
    CHECK_EQUAL(record_append(WH_RECORD_NOTE, &part, 1), RECORD_LOST);
    record_count_finding();
    record_finish();
}

#define EQUALS 2000u

/* Writes records that other processes write, too; how many the file had already. */
static unsigned write_equals(void) {
    unsigned known = 0;
    uint64_t offset;
    for (uint64_t i = 0; i < EQUALS; i++) {
        uint64_t payload[] = {i << 32 | 7, i};
        struct record_part part = {payload, sizeof payload};
        enum record_status status = record_once(WH_RECORD_MAPS, &part, 1, &offset);
        CHECK(status == RECORD_OK || status == RECORD_KNOWN);
        known += status == RECORD_KNOWN;
    }
    return known;
}

static void equal_records_of_processes_are_written_once(void) {
    uintptr_t begin;
    size_t size;
    uint64_t offset;
    make(WH_RECORD_TABLE_FROM);
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    CHECK_EQUAL(header().capacity, WH_RECORD_TABLE_FROM - WH_RECORD_TABLE_SIZE);
    CHECK_EQUAL(write_equals(), 0);
    uint64_t used = header().used;
    pid_t child = fork();
    if (child == 0) _exit(write_equals() != EQUALS);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK_EQUAL(header().used, used);
    struct record_part other = {"1234567", 8};
    CHECK_EQUAL(record_once(WH_RECORD_NOTE, &other, 1, &offset), RECORD_OK);
    CHECK_EQUAL(record_once(WH_RECORD_MAPS, &other, 1, &offset), RECORD_OK); /* another type */
    CHECK_EQUAL(record_text_once(WH_RECORD_NOTE, "a sentence"), RECORD_OK);
    CHECK_EQUAL(record_text_once(WH_RECORD_NOTE, "a sentence"), RECORD_KNOWN);
    CHECK(record_mapped(&begin,
                        &size)); /* what is no offset, or not of such a record, is not believed */
    memset((void *)(begin + WH_RECORD_TABLE_FROM - WH_RECORD_TABLE_SIZE), 0xf8,
           WH_RECORD_TABLE_SIZE);
    CHECK_EQUAL(write_equals(), 0);
    record_is_reused();
    CHECK_EQUAL(record_text_once(WH_RECORD_NOTE, "a sentence"), RECORD_OK);
    CHECK(truncate(PATH, WH_RECORD_TABLE_FROM - WH_RECORD_TABLE_SIZE) == 0);
    CHECK_EQUAL(record_init(PATH), RECORD_OK); /* one without a table */
    CHECK_EQUAL(record_text_once(WH_RECORD_NOTE, "a sentence"), RECORD_OK);
}

/* Killed anywhere, a process leaves no lock behind, and no record that cannot be skipped. */
static void a_process_killed_while_it_writes_stops_nobody(void) {
    make(WH_RECORD_TABLE_FROM);
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    for (unsigned round = 0; round < 20; round++) {
        uint64_t before = header().used;
        pid_t child = fork();
        if (child == 0)
            for (uint64_t i = (uint64_t)round << 40, offset;; i++) {
                struct record_part part = {&i, sizeof i};
                record_once(WH_RECORD_MAPS, &part, 1, &offset);
            }
        while (header().used < before + 160) usleep(100);
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    }
    write_equals();
    CHECK_EQUAL(write_equals(), EQUALS);
}

static void a_zombie_reads_no_file(void) {
    pid_t reader = fork();
    if (reader == 0)
        for (;;) pause();
    CHECK(!record_reader_has_ended((uint32_t)reader));
    CHECK(!record_reader_has_ended((uint32_t)getpid()));
    siginfo_t end;
    CHECK(kill(reader, SIGKILL) == 0);
    CHECK(waitid(P_PID, (id_t)reader, &end, WEXITED | WNOWAIT) == 0);
    CHECK(record_reader_has_ended((uint32_t)reader));
    CHECK(waitpid(reader, NULL, 0) == reader);
    CHECK(record_reader_has_ended((uint32_t)reader));
}

static void an_end_waits_for_the_report(void) {
    uintptr_t begin;
    size_t size;
    make(1 << 16);
    CHECK_EQUAL(record_init(PATH), RECORD_OK);
    CHECK(record_mapped(&begin, &size));
    struct wh_record_header *mapped = (struct wh_record_header *)begin;
    int status;
    pid_t child = fork();
    if (child == 0) {
        while (!__atomic_load_n(&mapped->ended, __ATOMIC_ACQUIRE)) usleep(100);
        __atomic_store_n(&mapped->reported, WH_REPORT_STOP, __ATOMIC_RELEASE);
        pause();
    }
    CHECK(record_hold(5 << 8, (uint32_t)child));
    CHECK_EQUAL(header().ended, WH_ENDED | 5 << 8);
    mapped->reported = WH_REPORT_DONE;
    CHECK(!record_hold(0, (uint32_t)child));
    mapped->reported = WH_REPORT_WAITING;
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(!record_hold(0, (uint32_t)child));
    CHECK(waitpid(child, &status, 0) == child);
}

int main(void) {
    what_is_not_a_record_file_is_refused();
    parts_are_padded_and_typed();
    a_second_process_appends();
    a_full_file_drops_and_counts();
    a_file_cut_short_kills_nobody();
    equal_records_of_processes_are_written_once();
    a_process_killed_while_it_writes_stops_nobody();
    a_zombie_reads_no_file();
    an_end_waits_for_the_report();
    return 0;
}
