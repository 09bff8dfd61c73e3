/*
 * A timing loop that prints its figures as Go's benchmarks do, for programs of C
 * and C++.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How long each measurement takes at least, in nanoseconds. With 0 it is one
 * operation.
 */
extern double measure_least;

/* What one operation took, in nanoseconds: by the clock, and of processors. */
typedef struct measured
{
    double clock;
    double processor;
    size_t count; /* of operations */
} measured;

/*
 * Calls work with larger and larger counts until one call takes long enough, and
 * returns the figures of that call. The calls before it are the warm-up. work
 * does its operation count times and checks each result.
 */
measured measure(void (*work)(void* data, size_t count), void* data);

/*
 * Prints the line of a benchmark without its end, for more figures to follow.
 * A size of 0 isn't printed.
 */
void measure_print(const char* row, const char* column, size_t size, measured m);

/* Measures work, and prints its line. */
void measure_row(
        const char* row,
        const char* column,
        size_t size,
        void (*work)(void* data, size_t count),
        void* data);

/* Ends the program because row gave a wrong result. */
void measure_wrong(const char* row);

#ifdef __cplusplus
}
#endif

#endif
