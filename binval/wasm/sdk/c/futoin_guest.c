#include "futoin_guest.h"

#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("futoin"), import_name(#name)))

typedef FutoInAsyncSteps S;
typedef void (*cleanup1)(void* value);
typedef void (*cleanup2)(void* data, void* value);

IMPORT(add)
void ftn_add(S*, void*, FutoInAsyncSteps_execute_callback, FutoInAsyncSteps_error_callback);
IMPORT(parallel) S* ftn_parallel(S*, void*, FutoInAsyncSteps_error_callback);
IMPORT(stateVariable) void* ftn_state(S*, void*, const char*, void* (*)(void*), cleanup2);
IMPORT(stack) void* ftn_stack(S*, size_t, cleanup1);
IMPORT(success) void ftn_success(S*, FutoInArgs*);
IMPORT(handle_error) void ftn_error(S*, const char*, const char*);
IMPORT(setTimeout) void ftn_timeout(S*, uint32_t);
IMPORT(setCancel) void ftn_on_cancel(S*, void*, FutoInAsyncSteps_cancel_callback);
IMPORT(waitExternal) void ftn_wait(S*);
IMPORT(loop) void ftn_loop(S*, void*, void (*)(S*, void*), const char*);
IMPORT(repeat) void ftn_repeat(S*, void*, size_t, void (*)(S*, void*, size_t), const char*);
IMPORT(breakLoop) void ftn_break(S*, const char*);
IMPORT(continueLoop) void ftn_continue(S*, const char*);
IMPORT(execute) void ftn_execute(S*, void*, FutoInAsyncSteps_error_callback);
IMPORT(cancel) void ftn_cancel(S*);
IMPORT(addSync)
void ftn_add_sync(
        S*, FutoInSync*, void*, FutoInAsyncSteps_execute_callback, FutoInAsyncSteps_error_callback);
IMPORT(rootId) ptrdiff_t ftn_root_id(S*);
IMPORT(isValid) int ftn_is_valid(S*);
IMPORT(newInstance) S* ftn_new_instance(S*);
IMPORT(free) void ftn_free(S*);
IMPORT(sched_immediate) void ftn_immediate(FutoInHandle*, S*, void*, void (*)(void*));
IMPORT(sched_deferred) void ftn_deferred(FutoInHandle*, S*, uint32_t, void*, void (*)(void*));
IMPORT(sched_cancel) void ftn_sched_cancel(S*, FutoInHandle*);
IMPORT(sched_is_valid) int ftn_sched_is_valid(S*, FutoInHandle*);
IMPORT(is_same_thread) int ftn_is_same_thread(S*);
IMPORT(mutex_new) FutoInSync* ftn_mutex(uint32_t, int32_t);
IMPORT(throttle_new) FutoInSync* ftn_throttle(uint32_t, uint32_t, int32_t);
IMPORT(limiter_new) FutoInSync* ftn_limiter(uint32_t, int32_t, uint32_t, uint32_t, int32_t);
IMPORT(guard) FutoInSync* ftn_guard(const char*);
IMPORT(lock) void ftn_lock(S*, FutoInSync*);
IMPORT(unlock) void ftn_unlock(S*, FutoInSync*);
IMPORT(sync_free) void ftn_sync_free(FutoInSync*);

static FutoInHandle immediate(S* as, void* data, void (*cb)(void*))
{
    FutoInHandle h;

    ftn_immediate(&h, as, data, cb);
    return h;
}

static FutoInHandle deferred(S* as, uint32_t delay_ms, void* data, void (*cb)(void*))
{
    FutoInHandle h;

    ftn_deferred(&h, as, delay_ms, data, cb);
    return h;
}

static const FutoInAsyncStepsAPI api = {{{
        ftn_add,       ftn_parallel,  ftn_state,        ftn_stack,
        ftn_success,   ftn_error,     ftn_timeout,      ftn_on_cancel,
        ftn_wait,      ftn_loop,      ftn_repeat,       ftn_break,
        ftn_continue,  ftn_execute,   ftn_cancel,       ftn_add_sync,
        ftn_root_id,   ftn_is_valid,  ftn_new_instance, ftn_free,
        immediate,     deferred,      ftn_sched_cancel, ftn_sched_is_valid,
        ftn_is_same_thread,
}}};

static const FutoInSyncAPI sync_api = {{{ftn_lock, ftn_unlock}}};

/* Values that the host makes are in memory of malloc. */
static void freed(FutoInBinaryValue* v) { free((void*) v->p); }

#define TYPE(kind) {kind, NULL}
#define OWNS(kind) {kind, freed}
#define ARRAY(kind) {FTN_TYPE_ARRAY | kind, freed}

static const struct
{
    const FutoInAsyncStepsAPI* api;
    const FutoInSyncAPI* sync_api;
    FutoInType types[32];
} tables = {
        &api,
        &sync_api,
        {TYPE(0), TYPE(1), OWNS(2), OWNS(3), OWNS(4), TYPE(5), TYPE(6), TYPE(7),
         TYPE(8), TYPE(9), TYPE(10), TYPE(11), TYPE(12), TYPE(13), TYPE(14), TYPE(15),
         TYPE(16), TYPE(17), TYPE(18), TYPE(19), TYPE(20), ARRAY(5), ARRAY(6), ARRAY(7),
         ARRAY(8), ARRAY(9), ARRAY(10), ARRAY(11), ARRAY(12), ARRAY(13), ARRAY(14), ARRAY(15)},
};

__attribute__((export_name("futoin_call"))) uintptr_t futoin_call(
        uint32_t op, void* f, uintptr_t a, uintptr_t b, uintptr_t c)
{
    switch (op) {
    case 0:
        return (uintptr_t) &tables;
    case 1:
        ((void (*)(uintptr_t)) f)(a);
        return 0;
    case 2:
        ((void (*)(uintptr_t, uintptr_t)) f)(a, b);
        return 0;
    case 3:
        ((void (*)(uintptr_t, uintptr_t, uintptr_t)) f)(a, b, c);
        return 0;
    case 4:
        return ((uintptr_t(*)(uintptr_t)) f)(a);
    case 5:
        return (uintptr_t) aligned_alloc(16, (a + 15) & ~(uintptr_t) 15);
    default:
        free((void*) a);
        return 0;
    }
}

FutoInSync* futoin_mutex(uint32_t max, int32_t max_queue) { return ftn_mutex(max, max_queue); }

FutoInSync* futoin_throttle(uint32_t max, uint32_t period_ms, int32_t max_queue)
{
    return ftn_throttle(max, period_ms, max_queue);
}

FutoInSync* futoin_limiter(
        uint32_t concurrent, int32_t max_queue, uint32_t rate, uint32_t period_ms, int32_t burst)
{
    return ftn_limiter(concurrent, max_queue, rate, period_ms, burst);
}

FutoInSync* futoin_guard(const char* name) { return ftn_guard(name); }

void futoin_sync_free(FutoInSync* sync) { ftn_sync_free(sync); }

static bool is(const FutoInArgs* args, FutoInTypeFlags flags)
{
    return args->arg0.type && args->arg0.type->flags == flags;
}

int32_t futoin_int32(const FutoInArgs* args, int32_t otherwise)
{
    return is(args, FTN_TYPE_INT32) ? args->arg0.i32 : otherwise;
}

int64_t futoin_int64(const FutoInArgs* args, int64_t otherwise)
{
    return is(args, FTN_TYPE_INT64) ? args->arg0.i64 : otherwise;
}

double futoin_double(const FutoInArgs* args, double otherwise)
{
    return is(args, FTN_TYPE_DOUBLE) ? args->arg0.d : otherwise;
}

static void reset(void* value) { futoin_reset_binval(value); }

const char* futoin_string(S* as, const FutoInArgs* args)
{
    FutoInBinaryValue* kept;

    if (!is(args, FTN_TYPE_STRING)) {
        return "";
    }
    kept = as->api->stack(as, sizeof(*kept), reset);
    *kept = args->arg0;
    ((FutoInArgs*) args)->arg0.type = NULL; /* the step's from now on, and not to be forwarded */
    return kept->cstr;
}

static void give(S* as, FutoInBinaryValue v)
{
    FutoInArgs args;

    memset(&args, 0, sizeof(args));
    args.arg0 = v;
    as->api->success(as, &args);
}

void futoin_give_int32(S* as, int32_t value)
{
    give(as, (FutoInBinaryValue){.type = &tables.types[FTN_TYPE_INT32], .i32 = value});
}

void futoin_give_int64(S* as, int64_t value)
{
    give(as, (FutoInBinaryValue){.type = &tables.types[FTN_TYPE_INT64], .i64 = value});
}

void futoin_give_double(S* as, double value)
{
    give(as, (FutoInBinaryValue){.type = &tables.types[FTN_TYPE_DOUBLE], .d = value});
}

void futoin_give_string(S* as, const char* value)
{
    char* copy = strdup(value);

    if (!copy) {
        futoin_fail(as, "InternalError", "out of memory");
        return;
    }
    give(as, (FutoInBinaryValue){
                     .type = &tables.types[FTN_TYPE_STRING], .cstr = copy, .length = (uint32_t) strlen(copy)});
}
