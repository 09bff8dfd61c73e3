#include "private.h"
#include "_cgo_export.h"

#include <stdlib.h>
#include <string.h>

ftn_steps* ftn_make(uintptr_t peer)
{
    const FutoInAsyncStepsAPI* table = &ftn_table;
    ftn_steps* s = calloc(1, sizeof(*s));

    if (s) {
        memcpy(s, &table, sizeof(table)); /* the field is const */
        s->peer = peer;
    }
    return s;
}

ftn_sync* ftn_sync_make(uintptr_t guard)
{
    const FutoInSyncAPI* table = &ftn_sync_table;
    ftn_sync* s = calloc(1, sizeof(*s));

    if (s) {
        memcpy(s, &table, sizeof(table));
        s->guard = guard;
    }
    return s;
}

void ftn_clear(ftn_steps* s)
{
    for (; s->count > 0; --s->count) {
        free(s->notes[s->count - 1].text);
        free(s->notes[s->count - 1].info);
    }
    if (s->room > 256) {
        free(s->notes);
        s->notes = NULL;
        s->room = 0;
    }
}

static inline ftn_running begin(ftn_steps* s, uint32_t phase, uint32_t keeps)
{
    ftn_running* here = &ftn_here;
    ftn_running outer = *here;

    s->around = outer.current;
    *here = (ftn_running){s, s->loop, keeps};
    STORE(s->thread, here);
    STORE(s->waits, 0);
    STORE(s->phase, phase);
    return outer;
}

static void end(ftn_steps* s, ftn_running outer)
{
    STORE(s->phase, FTN_GOING);
    STORE(s->thread, NULL);
    ftn_here = outer;
}

#define RUN(phase, keeps, call)                                 \
    do {                                                        \
        ftn_running outer = begin(s, (phase), (keeps));         \
        call;                                                   \
        end(s, outer);                                          \
    } while (0)

/*
 * Calls code that isn't that of a step, on the loop named on, or on none if on is 0. No call
 * that it makes is kept.
 */
#define CALL(on, call)                                          \
    do {                                                        \
        ftn_running outer = ftn_here;                           \
        ftn_here.loop = (on);                                   \
        ftn_here.keeps = FTN_KEEPS_NOTHING;                     \
        call;                                                   \
        ftn_here = outer;                                       \
    } while (0)

void ftn_execute(uintptr_t steps, uintptr_t f, uintptr_t data)
{
    ftn_steps* s = (ftn_steps*) steps;

    RUN(FTN_EXECUTING, FTN_KEEPS_IMMEDIATE,
        ((FutoInAsyncSteps_execute_callback) f)(&s->pub, (void*) data, &s->in));
}

void ftn_turn(uintptr_t steps, uintptr_t f, uintptr_t data)
{
    ftn_steps* s = (ftn_steps*) steps;

    RUN(FTN_EXECUTING, FTN_KEEPS_IMMEDIATE,
        ((void (*)(FutoInAsyncSteps*, void*)) f)(&s->pub, (void*) data));
}

void ftn_count(uintptr_t steps, uintptr_t f, uintptr_t data, size_t i)
{
    ftn_steps* s = (ftn_steps*) steps;

    RUN(FTN_EXECUTING, FTN_KEEPS_IMMEDIATE,
        ((void (*)(FutoInAsyncSteps*, void*, size_t)) f)(
                &s->pub, (void*) data, i));
}

void ftn_catch(ftn_steps* s, uintptr_t f, uintptr_t data, uintptr_t code)
{
    RUN(FTN_EXECUTING, FTN_KEEPS_IMMEDIATE,
        ((FutoInAsyncSteps_error_callback) f)(&s->pub, (void*) data, (const char*) code));
}

void ftn_hook(ftn_steps* s, uintptr_t f, uintptr_t data)
{
    RUN(FTN_HOOKING, FTN_KEEPS_NOTHING,
        ((FutoInAsyncSteps_cancel_callback) f)(&s->pub, (void*) data));
}


ftn_running ftn_enter(ftn_steps* s, uint32_t phase)
{
    return begin(s, phase, FTN_KEEPS_NOTHING);
}

void ftn_leave(ftn_steps* s, ftn_running outer)
{
    end(s, outer);
}

/*
 * The code of s, or a callback if s is NULL, has not returned, because Go has unwound the
 * stack. The code that had called it, if any, is the current code again.
 */
void ftn_abandon(ftn_steps* s)
{
    ftn_steps* around = ftn_here.current;

    if (s) {
        STORE(s->phase, FTN_GOING);
        STORE(s->thread, NULL);
        if (around != s) {
            return;
        }
        around = s->around;
    }
    ftn_here = (ftn_running){NULL, 0, FTN_KEEPS_NOTHING};
    if (around && LOAD(around->thread) == &ftn_here) {
        ftn_here.current = around;
        ftn_here.loop = around->loop;
    }
}

void ftn_unstack(ftn_steps* s)
{
    ftn_block* b;

    if (!s->leaving) { /* what is asked for from now on stays: C may be writing to it */
        s->leaving = __atomic_exchange_n(&s->stack, NULL, __ATOMIC_ACQ_REL);
    }
    while ((b = s->leaving)) {
        void (*cleanup)(void* value) = b->cleanup;

        if (cleanup) {
            b->cleanup = NULL;
            CALL(outer.loop, cleanup(b->value));
        }
        s->leaving = b->older;
        free(b);
    }
}

void ftn_scheduled(uintptr_t loop, uintptr_t f, uintptr_t data)
{
    ftn_running* here = &ftn_here;
    ftn_running outer = *here;

    here->loop = loop;
    here->keeps = FTN_KEEPS_SUCCESS;
    ((void (*)(void*)) f)((void*) data);
    *here = outer;
}

uintptr_t ftn_allocate(uintptr_t f, uintptr_t data)
{
    void* value;

    CALL(outer.loop, value = ((void* (*) (void*) ) f)((void*) data));
    return (uintptr_t) value;
}

void ftn_cleanup(uintptr_t f, uintptr_t data, uintptr_t value)
{
    CALL(outer.loop, ((void (*)(void*, void*)) f)((void*) data, (void*) value));
}

void ftn_free(uintptr_t memory)
{
    free((void*) memory);
}

void ftn_reset(uintptr_t f, FutoInBinaryValue v)
{
    CALL(outer.loop, ((void (*)(FutoInBinaryValue*)) f)(&v));
}

/* When f returns, the root may be freed and its memory used for another one. */
void ftn_ended(ftn_steps* s, uintptr_t f, uintptr_t data, uintptr_t code)
{
    CALL(s->loop,
         ((FutoInAsyncSteps_error_callback) f)(&s->pub, (void*) data, (const char*) code));
}

int ftn_plan(FutoInAsyncSteps* bsi, uintptr_t plan)
{
    ftn_note* n = ftn_runs((ftn_steps*) bsi) ? ftn_note_new((ftn_steps*) bsi, FTN_PLAN) : NULL;

    if (n) {
        n->data = plan;
    }
    return n != NULL;
}

int ftn_valid(FutoInAsyncSteps* bsi)
{
    return bsi->api->isValid(bsi);
}

void ftn_release(FutoInAsyncSteps* bsi)
{
    bsi->api->free(bsi);
}

uintptr_t ftn_cleanup_address(void)
{
    return (uintptr_t) ftngoReset;
}

void ftn_locking(ftn_steps* s, FutoInSync* sync)
{
    RUN(FTN_EXECUTING, FTN_KEEPS_NOTHING, sync->api->lock(&s->pub, sync));
}

void ftn_unlocking(ftn_steps* s, FutoInSync* sync, uint32_t phase)
{
    RUN(phase, FTN_KEEPS_NOTHING, sync->api->unlock(&s->pub, sync));
}
