#define _POSIX_C_SOURCE 200809L

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double measure_least;

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return 1e9 * (double) t.tv_sec + (double) t.tv_nsec;
}

static measured once(void (*work)(void* data, size_t count), void* data, size_t count)
{
    double clock = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);

    work(data, count);
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
    clock = now(CLOCK_MONOTONIC) - clock;
    return (measured){clock / (double) count, processor / (double) count, count};
}

measured measure(void (*work)(void* data, size_t count), void* data)
{
    for (size_t count = 1;;) {
        measured m = once(work, data, count);
        double took = m.clock * (double) count;
        double guess;

        if (took >= measure_least) {
            return m;
        }

        /* A fifth more than it seems to take, but at most a hundred times more. */
        guess = 1.2 * measure_least / (m.clock > 1 ? m.clock : 1);
        guess = guess > 100. * (double) count ? 100. * (double) count : guess;
        count = guess > (double) count ? (size_t) guess + 1 : count + 1;
    }
}

void measure_print(const char* row, const char* column, size_t size, measured m)
{
    printf("Benchmark%s/col=%s", row, column);
    if (size > 0) {
        printf("/n=%zu", size);
    }
    printf(" %zu %.2f ns/op %.2f cpu-ns/op", m.count, m.clock, m.processor);
}

void measure_row(
        const char* row,
        const char* column,
        size_t size,
        void (*work)(void* data, size_t count),
        void* data)
{
    measure_print(row, column, size, measure(work, data));
    printf("\n");
    fflush(stdout);
}

void measure_wrong(const char* row)
{
    fflush(stdout);
    fprintf(stderr, "%s: the result is wrong\n", row);
    exit(1);
}
