/*
 * The universal binary interface of FTN12 §2.7: asynchronous steps of one
 * engine, driven by code of another technology. C11 and C++17.
 *
 * A step's code gets a FutoInAsyncSteps* and calls the functions of its table,
 * each with that pointer first. What a function means, who owns what, and which
 * thread may call it is in the documentation of the engine.
 */
#ifndef FUTOIN_ASYNCSTEPS_H
#define FUTOIN_ASYNCSTEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <uchar.h>
#endif

/* Structs without a name are C11, and an extension of C++ compilers. */
#if defined(__GNUC__)
#define FTN_UNNAMED __extension__
#else
#define FTN_UNNAMED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The C++ API of FutoIn declares the same in its binaryval.h and binarysteps.h.
 * Whichever of the headers comes first in a file stands, and the other yields.
 */

/* ---- Values, §2.7.1 ---- */
#ifndef FUTOIN_BINARYVAL_H
#define FUTOIN_BINARYVAL_H

typedef struct FutoInBinaryValue_ FutoInBinaryValue;
typedef struct FutoInType_ FutoInType;
typedef uint8_t FutoInTypeFlags;

enum
{
    FTN_TYPE_CUSTOM_OBJECT = 0x01,
    FTN_TYPE_STRING = 0x02,
    FTN_TYPE_STRING16 = 0x03,
    FTN_TYPE_STRING32 = 0x04,
    FTN_TYPE_BOOL = 0x05,
    FTN_TYPE_INT8 = 0x06,
    FTN_TYPE_INT16 = 0x07,
    FTN_TYPE_INT32 = 0x08,
    FTN_TYPE_INT64 = 0x09,
    FTN_TYPE_UINT8 = 0x0A,
    FTN_TYPE_UINT16 = 0x0B,
    FTN_TYPE_UINT32 = 0x0C,
    FTN_TYPE_UINT64 = 0x0D,
    FTN_TYPE_FLOAT = 0x0E,
    FTN_TYPE_DOUBLE = 0x0F,
    FTN_BASE_TYPE_MASK = 0x0F,
    /* is or-ed to one of the types above, from FTN_TYPE_BOOL on */
    FTN_TYPE_ARRAY = 0x10,
    FTN_COMPLEX_TYPE_MASK = 0xF0
};

struct FutoInType_
{
    const FutoInTypeFlags flags;
    void (*const cleanup)(FutoInBinaryValue* v); /* may be NULL */
};

struct FutoInBinaryValue_
{
    const FutoInType* type; /* NULL: no value */
    FTN_UNNAMED union
    {
        const void* p;
        const char* cstr;
        const char16_t* cstr16;
        const char32_t* cstr32;
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
    void* custom_data;
    uint32_t length; /* elements, or code units without the terminator */
};

/* Releases what the value holds and leaves it empty. An empty value may be reset again. */
static inline void futoin_reset_binval(FutoInBinaryValue* v)
{
    const FutoInType* type = v->type;

    if (type && type->cleanup) {
        type->cleanup(v);
    }

    v->type = NULL;
    v->u64 = 0;
    v->custom_data = NULL;
    v->length = 0;
}

#endif /* FUTOIN_BINARYVAL_H */

/* ---- Steps, §2.7.2 ---- */
#ifndef FUTOIN_BINARYSTEPS_H
#define FUTOIN_BINARYSTEPS_H

typedef struct FutoInAsyncStepsAPI_ FutoInAsyncStepsAPI;
typedef struct FutoInAsyncSteps_ FutoInAsyncSteps;
typedef struct FutoInSyncAPI_ FutoInSyncAPI;
typedef struct FutoInSync_ FutoInSync;
typedef struct FutoInArgs_ FutoInArgs;
typedef struct FutoInHandle_ FutoInHandle;

struct FutoInArgs_
{
    FTN_UNNAMED union
    {
        FTN_UNNAMED struct
        {
            FutoInBinaryValue arg0;
            FutoInBinaryValue arg1;
            FutoInBinaryValue arg2;
            FutoInBinaryValue arg3;
        };
        FutoInBinaryValue args[4];
    };
};

struct FutoInHandle_
{
    void* data1;
    void* data2;
    ptrdiff_t data3;
};

typedef void (*FutoInAsyncSteps_execute_callback)(
        FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
typedef void (*FutoInAsyncSteps_error_callback)(
        FutoInAsyncSteps* bsi, void* data, const char* code);
typedef void (*FutoInAsyncSteps_cancel_callback)(
        FutoInAsyncSteps* bsi, void* data);

struct FutoInAsyncStepsAPI_
{
    FTN_UNNAMED union
    {
        FTN_UNNAMED struct
        {
            /* 0 */
            void (*add)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    FutoInAsyncSteps_execute_callback f,
                    FutoInAsyncSteps_error_callback eh);
            /* 1 */
            FutoInAsyncSteps* (*parallel)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    FutoInAsyncSteps_error_callback eh);
            /* 2 */
            void* (*stateVariable)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    const char* name,
                    void* (*allocate)(void* data),
                    void (*cleanup)(void* data, void* value));
            /* 3 */
            void* (*stack)(
                    FutoInAsyncSteps* bsi,
                    size_t data_size,
                    void (*cleanup)(void* value));
            /* 4 */
            void (*success)(FutoInAsyncSteps* bsi, FutoInArgs* args);
            /* 5 */
            void (*handle_error)(
                    FutoInAsyncSteps* bsi, const char* code, const char* info);
            /* 6 */
            void (*setTimeout)(FutoInAsyncSteps* bsi, uint32_t timeout_ms);
            /* 7 */
            void (*setCancel)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    FutoInAsyncSteps_cancel_callback ch);
            /* 8 */
            void (*waitExternal)(FutoInAsyncSteps* bsi);
            /* 9 */
            void (*loop)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    void (*f)(FutoInAsyncSteps* bsi, void* data),
                    const char* label);
            /* 10 */
            void (*repeat)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    size_t count,
                    void (*f)(FutoInAsyncSteps* bsi, void* data, size_t i),
                    const char* label);
            /* 11 */
            void (*breakLoop)(FutoInAsyncSteps* bsi, const char* label);
            /* 12 */
            void (*continueLoop)(FutoInAsyncSteps* bsi, const char* label);
            /* 13 */
            void (*execute)(
                    FutoInAsyncSteps* bsi,
                    void* data,
                    FutoInAsyncSteps_error_callback unhandled_error);
            /* 14 */
            void (*cancel)(FutoInAsyncSteps* bsi);
            /* 15 */
            void (*addSync)(
                    FutoInAsyncSteps* bsi,
                    FutoInSync* sync,
                    void* data,
                    FutoInAsyncSteps_execute_callback f,
                    FutoInAsyncSteps_error_callback eh);
            /* 16 */
            ptrdiff_t (*rootId)(FutoInAsyncSteps* bsi);
            /* 17 */
            int (*isValid)(FutoInAsyncSteps* bsi);
            /* 18 */
            FutoInAsyncSteps* (*newInstance)(FutoInAsyncSteps* bsi);
            /* 19 */
            void (*free)(FutoInAsyncSteps* bsi);
            /* 20 */
            FutoInHandle (*sched_immediate)(
                    FutoInAsyncSteps* bsi, void* data, void (*cb)(void* data));
            /* 21 */
            FutoInHandle (*sched_deferred)(
                    FutoInAsyncSteps* bsi,
                    uint32_t delay_ms,
                    void* data,
                    void (*cb)(void* data));
            /* 22 */
            void (*sched_cancel)(FutoInAsyncSteps* bsi, FutoInHandle* handle);
            /* 23 */
            int (*sched_is_valid)(FutoInAsyncSteps* bsi, FutoInHandle* handle);
            /* 24 */
            int (*is_same_thread)(FutoInAsyncSteps* bsi);
        };
        void* funcs[25];
    };
};

struct FutoInAsyncSteps_
{
#ifdef __cplusplus
    FutoInAsyncSteps_(const FutoInAsyncStepsAPI* table) noexcept : api(table) {}
#endif
    const FutoInAsyncStepsAPI* const api;
};

/* ---- Synchronization, §2.7.3 ---- */

struct FutoInSyncAPI_
{
    FTN_UNNAMED union
    {
        FTN_UNNAMED struct
        {
            /* 0 */
            void (*lock)(FutoInAsyncSteps* bsi, FutoInSync* sync);
            /* 1 */
            void (*unlock)(FutoInAsyncSteps* bsi, FutoInSync* sync);
        };
        void* funcs[2];
    };
};

struct FutoInSync_
{
#ifdef __cplusplus
    FutoInSync_() noexcept : api(nullptr) {}
#endif
    const FutoInSyncAPI* const api;
};

#endif /* FUTOIN_BINARYSTEPS_H */

#ifdef __cplusplus
}
#endif

#endif /* FUTOIN_ASYNCSTEPS_H */
