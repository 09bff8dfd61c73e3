#include "private.h"
#include "_cgo_export.h"

#include <stdlib.h>
#include <string.h>

/*
 * Copies text to a field of a note, which is NULL. If there is no memory, the note becomes
 * FTN_NO_MEMORY.
 */
static void copy_to(ftn_note* n, char** field, const char* text)
{
    if (text && !(*field = strdup(text))) {
        n->op = FTN_NO_MEMORY;
    }
}

static void add(
        FutoInAsyncSteps* bsi,
        void* data,
        FutoInAsyncSteps_execute_callback f,
        FutoInAsyncSteps_error_callback eh)
{
    ftn_note* n = ftn_record(bsi, FTN_ADD, 0);

    if (n) {
        n->run = (uintptr_t) f;
        n->catcher = (uintptr_t) eh;
        n->data = (uintptr_t) data;
    }
}

static FutoInAsyncSteps* parallel(
        FutoInAsyncSteps* bsi, void* data, FutoInAsyncSteps_error_callback eh)
{
    ftn_steps* outer = (ftn_steps*) bsi;
    ftn_steps* s = (ftn_steps*) ftngoPeer(outer->peer); /* this may call code that records */
    ftn_note* n = ftn_record(bsi, FTN_PARALLEL, 1);

    if (n) {
        n->catcher = (uintptr_t) eh;
        n->data = (uintptr_t) data;
        n->object = s;
        STORE(s->thread, LOAD(outer->thread));
        STORE(s->phase, FTN_BUILDING);
    } else {
        ftngoUnpeer(s->peer); /* a pointer that isn't valid, rather than NULL */
    }
    return &s->pub;
}

/* Returns NULL if there is no memory. */
static ftn_block* new_block(size_t size, void (*cleanup)(void* value))
{
    ftn_block* b = size < SIZE_MAX - sizeof(*b) ? calloc(1, sizeof(*b) + size) : NULL;

    if (b) {
        b->cleanup = cleanup;
    }
    return b;
}

/* From now on the block is cleaned up and freed when the pointer ends. */
static void push(ftn_steps* s, ftn_block* b)
{
    b->older = LOAD(s->stack);
    while (!__atomic_compare_exchange_n(
            &s->stack, &b->older, b, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
}

/*
 * A variable that has no run lives as long as the stack of its pointer. The C++ wrapper
 * doesn't check whether it gets one.
 */
typedef struct stray
{
    void (*cleanup)(void* data, void* value);
    void *data, *value;
} stray;

static void stray_cleanup(void* memory)
{
    stray* v = memory;

    if (v->cleanup && v->value) {
        v->cleanup(v->data, v->value);
    }
}

static void* astray(
        ftn_steps* s, void* data, void* (*allocate)(void*), void (*cleanup)(void*, void*))
{
    ftn_block* b = allocate ? new_block(sizeof(stray), stray_cleanup) : NULL;
    void* value;

    if (!b) {
        return NULL;
    }
    value = allocate(data);
    *(stray*) b->value = (stray){cleanup, data, value};
    push(s, b); /* last: the pointer may name something else at any time */
    return value;
}

uintptr_t ftn_astray(ftn_steps* s, uintptr_t data, uintptr_t value, uintptr_t cleanup)
{
    ftn_block* b = new_block(sizeof(stray), stray_cleanup);

    if (!b) {
        if (cleanup) {
            ftn_cleanup(cleanup, data, value);
        }
        return 0;
    }
    *(stray*) b->value =
            (stray){(void (*)(void*, void*)) cleanup, (void*) data, (void*) value};
    push(s, b);
    return value;
}

/* Whether this thread is inside of the loop of s, and s isn't void. */
static bool on_loop(ftn_steps* s)
{
    return ftn_here.loop && ftn_here.loop == s->loop && LOAD(s->phase) != FTN_FREE;
}

static void* stateVariable(
        FutoInAsyncSteps* bsi,
        void* data,
        const char* name,
        void* (*allocate)(void* data),
        void (*cleanup)(void* data, void* value))
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (!name) {
        ftn_misuse(s, 2);
        return NULL;
    }
    if (!ftn_runs(s) && !on_loop(s)) {
        void* kept = (void*) ftngoKept(s->peer, (char*) name);

        if (kept) {
            return kept;
        }
        if (!ftngoIdle(s->peer)) {
            ftn_misuse(s, 2);
            return astray(s, data, allocate, cleanup);
        }
    }
    return (void*) ftngoState(
            s->peer,
            (uintptr_t) data,
            (char*) name,
            (uintptr_t) allocate,
            (uintptr_t) cleanup);
}

static bool may_stack(ftn_steps* s)
{
    if (ftn_runs(s) || (LOAD(s->phase) == FTN_HOOKING && LOAD(s->thread) == &ftn_here)) {
        return true;
    }
    return ftn_completes(s) && (ftngoValid(s->peer) || ftngoLive(s->peer));
}

/*
 * A caller that may not ask gets memory too, because the C++ wrapper doesn't check for NULL.
 * It lives as long as the other blocks of that pointer, or, if that is void, until it names
 * another step.
 */
static void* stack(
        FutoInAsyncSteps* bsi, size_t data_size, void (*cleanup)(void* value))
{
    ftn_steps* s = (ftn_steps*) bsi;
    bool may = may_stack(s);
    ftn_block* b = new_block(data_size, may ? cleanup : NULL);

    if (b) {
        push(s, b);
    }
    if (!may) {
        ftn_misuse(s, 3);
    } else if (!b && ftn_runs(s)) {
        ftn_note_new(s, FTN_NO_MEMORY);
    }
    return b ? b->value : NULL;
}

static bool any(const FutoInArgs* args)
{
    return args && (args->arg0.type || args->arg1.type || args->arg2.type || args->arg3.type);
}

static void reset(FutoInArgs* args)
{
    int i;

    for (i = 0; args && i < 4; ++i) {
        futoin_reset_binval(&args->args[i]);
    }
}

/* Keeps a call for the loop of s. Returns false if another one is kept. */
static bool keep(ftn_steps* s, enum ftn_call call)
{
    uintptr_t nothing = 0;

    return __atomic_compare_exchange_n(
            &s->lane->kept, &nothing, (s->peer << 2) | call, false, __ATOMIC_ACQ_REL,
            __ATOMIC_ACQUIRE);
}

/*
 * Keeps success of a step that waits, if a callback of its loop calls it, with values that
 * need no cleanup. Returns whether it did.
 */
static bool keep_success(ftn_steps* s, FutoInArgs* args)
{
    bool values = any(args);
    int i;

    if (ftn_here.keeps != FTN_KEEPS_SUCCESS || s->loop != ftn_here.loop || !s->open ||
        LOAD(s->phase) != FTN_GOING || LOAD(s->lane->kept)) {
        return false;
    }
    for (i = 0; values && i < 4; ++i) {
        if (args->args[i].type && args->args[i].type->cleanup) {
            return false;
        }
    }
    if (values) {
        s->out = *args;
        s->gives = true;
    }
    if (!keep(s, FTN_SUCCESS_LATER)) {
        if (values) {
            memset(&s->out, 0, sizeof(s->out));
            s->gives = false;
        }
        return false;
    }
    if (values) {
        memset(args, 0, sizeof(*args));
    }
    return true;
}

static void success(FutoInAsyncSteps* bsi, FutoInArgs* args)
{
    ftn_steps* s = (ftn_steps*) bsi;
    size_t i;

    if (!ftn_runs(s)) {
        if (keep_success(s, args)) {
            return;
        }
        if (!ftn_completes(s)) {
            ftn_misuse(s, 4);
        } else if (ftngoSuccess(s->peer, args)) {
            return; /* taken */
        }
        reset(args); /* it was handed over all the same */
        return;
    }
    for (i = 0; i < s->count && args; ++i) {
        if (s->notes[i].op == FTN_SUCCESS) {
            reset(args); /* the second one is a violation */
            args = NULL;
        }
    }
    if (ftn_note_new(s, FTN_SUCCESS) && any(args)) {
        s->out = *args;
        s->gives = true;
        memset(args, 0, sizeof(*args));
    }
    reset(args);
}

static void handle_error(
        FutoInAsyncSteps* bsi, const char* code, const char* info)
{
    ftn_steps* s = (ftn_steps*) bsi;
    ftn_note* n;

    if (!ftn_runs(s)) {
        if (ftn_completes(s)) {
            ftngoError(s->peer, (char*) code, (char*) info);
        } else {
            ftn_misuse(s, 5);
        }
        return;
    }
    n = ftn_note_new(s, FTN_ERROR);
    if (n) {
        copy_to(n, &n->text, code);
        copy_to(n, &n->info, info);
    }
}

/*
 * setTimeout, setCancel and waitExternal begin a wait, which other threads may complete from
 * then on. A completion that comes before the code has returned is kept until it has.
 */

static void setTimeout(FutoInAsyncSteps* bsi, uint32_t timeout_ms)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (LOAD(s->phase) == FTN_EXECUTING && ftn_runs(s)) {
        ftngoSetTimeout(s->peer, timeout_ms);
    } else {
        ftn_misuse(s, 6);
    }
}

static void setCancel(
        FutoInAsyncSteps* bsi, void* data, FutoInAsyncSteps_cancel_callback ch)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (LOAD(s->phase) == FTN_EXECUTING && ftn_runs(s)) {
        ftngoSetCancel(s->peer, (uintptr_t) data, (uintptr_t) ch);
    } else {
        ftn_misuse(s, 7);
    }
}

static void waitExternal(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (LOAD(s->phase) != FTN_EXECUTING || !ftn_runs(s)) {
        ftn_misuse(s, 8);
    } else {
        STORE(s->waits, 1);
    }
}

static void loop(
        FutoInAsyncSteps* bsi,
        void* data,
        void (*f)(FutoInAsyncSteps* bsi, void* data),
        const char* label)
{
    ftn_note* n = ftn_record(bsi, FTN_LOOP, 9);

    if (n) {
        n->run = (uintptr_t) f;
        n->data = (uintptr_t) data;
        copy_to(n, &n->text, label);
    }
}

static void repeat(
        FutoInAsyncSteps* bsi,
        void* data,
        size_t count,
        void (*f)(FutoInAsyncSteps* bsi, void* data, size_t i),
        const char* label)
{
    ftn_note* n = ftn_record(bsi, FTN_REPEAT, 10);

    if (n) {
        n->run = (uintptr_t) f;
        n->data = (uintptr_t) data;
        n->count = count;
        copy_to(n, &n->text, label);
    }
}

static void leave(FutoInAsyncSteps* bsi, const char* label, enum ftn_op op, size_t index)
{
    ftn_steps* s = (ftn_steps*) bsi;
    ftn_note* n;

    if (!ftn_runs(s) && ftn_completes(s)) {
        ftngoLeave(s->peer, (char*) label, op == FTN_CONTINUE);
        return;
    }
    n = ftn_record(bsi, op, index);
    if (n) {
        copy_to(n, &n->text, label);
    }
}

static void breakLoop(FutoInAsyncSteps* bsi, const char* label)
{
    leave(bsi, label, FTN_BREAK, 11);
}

static void continueLoop(FutoInAsyncSteps* bsi, const char* label)
{
    leave(bsi, label, FTN_CONTINUE, 12);
}

static void execute(
        FutoInAsyncSteps* bsi,
        void* data,
        FutoInAsyncSteps_error_callback unhandled_error)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (!ftngoExecute(s->peer, (uintptr_t) data, (uintptr_t) unhandled_error)) {
        ftn_misuse(s, 13);
    }
}

static void cancel(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (!ftngoCancel(s->peer)) {
        ftn_misuse(s, 14);
    }
}

static void addSync(
        FutoInAsyncSteps* bsi,
        FutoInSync* sync,
        void* data,
        FutoInAsyncSteps_execute_callback f,
        FutoInAsyncSteps_error_callback eh)
{
    ftn_note* n = ftn_record(bsi, FTN_SYNC, 15);

    if (n) {
        n->run = (uintptr_t) f;
        n->catcher = (uintptr_t) eh;
        n->data = (uintptr_t) data;
        n->object = sync;
    }
}

static ptrdiff_t rootId(FutoInAsyncSteps* bsi)
{
    return ((ftn_steps*) bsi)->flow;
}

static int isValid(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (LOAD(s->phase) == FTN_OVER || ftn_runs(s)) {
        return 1;
    }
    return ftn_completes(s) && (LOAD(s->waits) || ftngoValid(s->peer));
}

static FutoInAsyncSteps* newInstance(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;
    ftn_steps* made = LOAD(s->ready);

    if (made) { /* unless another thread is faster */
        made = __atomic_exchange_n(&s->ready, NULL, __ATOMIC_ACQ_REL);
    }
    if (made) {
        STORE(made->phase, FTN_BUILDING);
    } else {
        made = (ftn_steps*) ftngoNewInstance(s->peer);
    }
    return &made->pub;
}

/*
 * Keeps the free of a root. Returns false if Go has to free it, or if it isn't a root that
 * is over.
 */
static bool keep_free(ftn_steps* s)
{
    uint32_t over = FTN_OVER;
    ftn_steps* none = NULL;

    if (LOAD(s->phase) != FTN_OVER || LOAD(s->stack) || s->count || !s->lane ||
        LOAD(s->lane->freed)) {
        return false;
    }
    if (!__atomic_compare_exchange_n(
                &s->phase, &over, FTN_FREE, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return false; /* another thread frees or uses it */
    }
    if (__atomic_compare_exchange_n(
                &s->lane->freed, &none, s, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return true;
    }
    STORE(s->phase, FTN_OVER);
    return false;
}

static void free_(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (s && !keep_free(s) && !ftngoFree(s->peer)) {
        ftn_misuse(s, 19);
    }
}

static FutoInHandle sched_immediate(
        FutoInAsyncSteps* bsi, void* data, void (*cb)(void* data))
{
    ftn_steps* s = (ftn_steps*) bsi;
    bool keeps = ftn_here.keeps == FTN_KEEPS_IMMEDIATE && ftn_here.current == s;
    ptrdiff_t ticket = keeps && cb ? LOAD(s->ticket) : 0;

    if (ticket) {
        STORE(s->ticket, 0);
        s->call = (uintptr_t) cb;
        s->call_data = (uintptr_t) data;
        if (keep(s, FTN_IMMEDIATE)) {
            return ftn_handle(ticket);
        }
        STORE(s->ticket, ticket);
    }
    return ftn_handle(ftngoImmediate(s->peer, (uintptr_t) data, (uintptr_t) cb, keeps));
}

static FutoInHandle sched_deferred(
        FutoInAsyncSteps* bsi,
        uint32_t delay_ms,
        void* data,
        void (*cb)(void* data))
{
    ftn_steps* s = (ftn_steps*) bsi;

    return ftn_handle(ftngoDeferred(s->peer, delay_ms, (uintptr_t) data, (uintptr_t) cb));
}

static void sched_cancel(FutoInAsyncSteps* bsi, FutoInHandle* handle)
{
    (void) bsi;
    if (handle) {
        ftngoSchedCancel(handle->data3);
        memset(handle, 0, sizeof(*handle));
    }
}

static int sched_is_valid(FutoInAsyncSteps* bsi, FutoInHandle* handle)
{
    (void) bsi;
    return handle && handle->data3 ? ftngoSchedValid(handle->data3) : 0;
}

static int is_same_thread(FutoInAsyncSteps* bsi)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (ftn_here.loop && ftn_here.loop == s->loop) {
        return 1;
    }
    return ftngoSameThread(s->peer);
}

const FutoInAsyncStepsAPI ftn_table = {{{
        add,           parallel,      stateVariable,   stack,
        success,       handle_error,  setTimeout,      setCancel,
        waitExternal,  loop,          repeat,          breakLoop,
        continueLoop,  execute,       cancel,          addSync,
        rootId,        isValid,       newInstance,     free_,
        sched_immediate, sched_deferred, sched_cancel, sched_is_valid,
        is_same_thread,
}}};

static void sync_lock(FutoInAsyncSteps* bsi, FutoInSync* sync)
{
    ftngoLock(bsi, ((ftn_sync*) sync)->guard);
}

static void sync_unlock(FutoInAsyncSteps* bsi, FutoInSync* sync)
{
    ftngoUnlock(bsi, ((ftn_sync*) sync)->guard);
}

const FutoInSyncAPI ftn_sync_table = {{{sync_lock, sync_unlock}}};
