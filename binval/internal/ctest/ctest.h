#ifndef BINVAL_CTEST_H
#define BINVAL_CTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>

struct ctest_value;

struct ctest_type {
    const uint8_t flags;
    void (*const cleanup)(struct ctest_value *);
};

struct ctest_value {
    const struct ctest_type *type;
    union {
        const void *p;
        const char *cstr;
        const char16_t *cstr16;
        const char32_t *cstr32;
        bool b;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f;
        double d;
    };
    void *custom_data;
    uint32_t length;
};

struct ctest_args {
    struct ctest_value args[4];
};

enum {
    CTEST_TYPE_SIZE = sizeof(struct ctest_type),
    CTEST_TYPE_FLAGS = offsetof(struct ctest_type, flags),
    CTEST_TYPE_CLEANUP = offsetof(struct ctest_type, cleanup),
    CTEST_VALUE_SIZE = sizeof(struct ctest_value),
    CTEST_VALUE_TYPE = offsetof(struct ctest_value, type),
    CTEST_VALUE_UNION = offsetof(struct ctest_value, u64),
    CTEST_VALUE_CUSTOM_DATA = offsetof(struct ctest_value, custom_data),
    CTEST_VALUE_LENGTH = offsetof(struct ctest_value, length),
    CTEST_ARGS_SIZE = sizeof(struct ctest_args),
    CTEST_ARGS_SECOND = offsetof(struct ctest_args, args[1])
};

struct ctest_value *ctest_hold(const struct ctest_value *v);
void ctest_reset(struct ctest_value *v);
void ctest_call(uintptr_t cleanup, uintptr_t type, uint64_t bits, uintptr_t custom, uint32_t length);
int64_t ctest_sum32(const struct ctest_value *v);
size_t ctest_strlen16(const struct ctest_value *v);

void ctest_make_string(struct ctest_value *v, uint8_t flags, const void *units, uint32_t length, size_t size);
size_t ctest_cleanups(void);

uintptr_t ctest_go_cleanup(void);

#endif
