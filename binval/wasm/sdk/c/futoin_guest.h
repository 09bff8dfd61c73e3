/*
 * Steps in C for WebAssembly. Compile your sources together with futoin_guest.c:
 *
 *   clang --target=wasm32-wasi -mexec-model=reactor -O2 -I. guest.c futoin_guest.c -o guest.wasm
 *
 * A step is a function made with FUTOIN_STEP. It uses the table of functions as it would
 * natively, as->api->success(as, &args), or the shorter functions below.
 */
#ifndef FUTOIN_GUEST_H
#define FUTOIN_GUEST_H

#include "futoin_asyncsteps.h"

/* Begins a step that the host finds by its name, with the parameters as, data and args. */
#define FUTOIN_STEP(name)                                                    \
    __attribute__((export_name(#name))) void name(                           \
            FutoInAsyncSteps* as, void* data, const FutoInArgs* args)

/* ---- Guards ---- */

/* Each returns NULL if a number is out of range. A negative max_queue is no limit. */
FutoInSync* futoin_mutex(uint32_t max, int32_t max_queue);
FutoInSync* futoin_throttle(uint32_t max, uint32_t period_ms, int32_t max_queue);
FutoInSync* futoin_limiter(
        uint32_t concurrent, int32_t max_queue, uint32_t rate, uint32_t period_ms, int32_t burst);

/* Returns a guard that the host shares by its name; NULL if there is none. The pointer is the same until it is freed. */
FutoInSync* futoin_guard(const char* name);

/* Frees a guard. One of the host has to be freed as often as it was found. Steps that are inside or wait finish. */
void futoin_sync_free(FutoInSync* sync);

/* ---- Values ---- */

/* Return the first argument if it has the type, and otherwise the second parameter. */
int32_t futoin_int32(const FutoInArgs* args, int32_t otherwise);
int64_t futoin_int64(const FutoInArgs* args, int64_t otherwise);
double futoin_double(const FutoInArgs* args, double otherwise);

/* Frees the first argument, in a step that doesn't take it: strings and arrays belong to the step that gets them. */
static inline void futoin_drop(const FutoInArgs* args)
{
    futoin_reset_binval((FutoInBinaryValue*) &args->arg0);
}

/* Takes the first argument, a string, which is valid until the step ends. Returns "" if it isn't a string, or was taken before. */
const char* futoin_string(FutoInAsyncSteps* as, const FutoInArgs* args);

/* Succeed with one value. A string is copied. */
void futoin_give_int32(FutoInAsyncSteps* as, int32_t value);
void futoin_give_int64(FutoInAsyncSteps* as, int64_t value);
void futoin_give_double(FutoInAsyncSteps* as, double value);
void futoin_give_string(FutoInAsyncSteps* as, const char* value);

/* Fails the step. info may be NULL; the host reads its first 4096 bytes. */
static inline void futoin_fail(FutoInAsyncSteps* as, const char* code, const char* info)
{
    as->api->handle_error(as, code, info);
}

#endif /* FUTOIN_GUEST_H */
