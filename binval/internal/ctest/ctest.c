//go:build cgo

#include "ctest.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

/* Go knows nothing about this memory. */
struct ctest_value *ctest_hold(const struct ctest_value *v) {
    struct ctest_value *held = malloc(sizeof *held);
    *held = *v;
    return held;
}

void ctest_reset(struct ctest_value *v) {
    if (v->type && v->type->cleanup) {
        v->type->cleanup(v);
    }
    memset(v, 0, sizeof *v);
}

void ctest_call(uintptr_t cleanup, uintptr_t type, uint64_t bits, uintptr_t custom, uint32_t length) {
    struct ctest_value v = {.type = (const struct ctest_type *)type,
                            .u64 = bits,
                            .custom_data = (void *)custom,
                            .length = length};
    ((void (*)(struct ctest_value *))cleanup)(&v);
}

int64_t ctest_sum32(const struct ctest_value *v) {
    const int32_t *elements = v->p;
    int64_t sum = 0;
    for (uint32_t i = 0; i < v->length; i++) {
        sum += elements[i];
    }
    return sum;
}

size_t ctest_strlen16(const struct ctest_value *v) {
    size_t n = 0;
    while (v->cstr16[n]) {
        n++;
    }
    return n;
}

static size_t cleanups;

static void free_string(struct ctest_value *v) {
    free((void *)v->p);
    cleanups++;
}

static const struct ctest_type string_types[] = {
    {0x02, free_string}, {0x03, free_string}, {0x04, free_string}};

void ctest_make_string(struct ctest_value *v, uint8_t flags, const void *units, uint32_t length, size_t size) {
    char *copy = calloc(length + 1, size);
    memcpy(copy, units, length * size);
    v->type = &string_types[flags - 2];
    v->p = copy;
    v->custom_data = 0;
    v->length = length;
}

size_t ctest_cleanups(void) { return cleanups; }

uintptr_t ctest_go_cleanup(void) { return (uintptr_t)&ctestCleanup; }
