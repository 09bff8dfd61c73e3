#include "foreign.h"
#include "recorder.h"
#include "_cgo_export.h"

static void scheduled(void* data)
{
    ftngoScheduled((uintptr_t) data);
}

FutoInHandle ftn_abroad_schedule(ftn_abroad* a, int64_t ms, uintptr_t callback)
{
    FutoInAsyncSteps* on = ftn_abroad_own(a);

    if (ms < 0) {
        return on->api->sched_immediate(on, (void*) callback, scheduled);
    }
    return on->api->sched_deferred(on, (uint32_t) ms, (void*) callback, scheduled);
}

void ftn_abroad_arrived(uintptr_t callback)
{
    ftngoScheduled(callback);
}

void ftn_abroad_cancel(ftn_abroad* a, FutoInHandle handle)
{
    FutoInAsyncSteps* on = ftn_abroad_own(a);

    on->api->sched_cancel(on, &handle);
}

int ftn_abroad_same(ftn_abroad* a)
{
    return ftn_abroad_here(ftn_abroad_own(a));
}

int ftn_abroad_here(FutoInAsyncSteps* of)
{
    return of->api->is_same_thread(of);
}

static void visit(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    ftngoVisit(bsi, (uintptr_t) data, (FutoInArgs*) args);
}

void ftn_abroad_add(FutoInAsyncSteps* bsi, uintptr_t handle)
{
    bsi->api->add(bsi, (void*) handle, visit, NULL);
}

static void* new_bag(void* data)
{
    (void) data;
    return (void*) ftngoNewBag();
}

static void drop_bag(void* data, void* bag)
{
    (void) data;
    ftngoDropBag((uintptr_t) bag);
}

/* The bag holds the stages that Go has added to a run and the engine hasn't called yet. */
int ftn_abroad_bag(FutoInAsyncSteps* bsi, uintptr_t* bag)
{
    *bag = (uintptr_t) bsi->api->stateVariable(
            bsi, NULL, "futoin-go.bag", new_bag, drop_bag);
    return *bag != 0;
}

static void cancelled(FutoInAsyncSteps* bsi, void* data)
{
    (void) bsi;
    ftngoStayCancelled((uintptr_t) data);
}

void ftn_abroad_wait(FutoInAsyncSteps* bsi, uintptr_t stay)
{
    bsi->api->setCancel(bsi, (void*) stay, cancelled);
}

/* Zeroed arguments stand for none, because we never pass NULL (B1). */
void ftn_abroad_success(FutoInAsyncSteps* bsi, FutoInArgs* args)
{
    FutoInArgs none = {0};

    bsi->api->success(bsi, args ? args : &none);
}

void ftn_abroad_error(FutoInAsyncSteps* bsi, uintptr_t code, uintptr_t info)
{
    bsi->api->handle_error(bsi, (const char*) code, (const char*) info);
}

ptrdiff_t ftn_abroad_flow(FutoInAsyncSteps* bsi)
{
    return bsi->api->rootId(bsi);
}

static void lock_cancelled(FutoInAsyncSteps* bsi, void* data)
{
    (void) bsi;
    ftngoLockCancelled((uintptr_t) data);
}

static void lock_waits(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) args;
    if (ftngoLockWaits(bsi, (uintptr_t) data)) {
        bsi->api->setCancel(bsi, data, lock_cancelled);
    }
}

/*
 * The step of a lock that isn't entered at once waits, or fails, in a sub-step, which is
 * added through the table of the engine. The step that calls a guard won't do: in the C++ engine it
 * can't be completed later, and its errors are lost.
 */
void ftn_abroad_lock_wait(FutoInAsyncSteps* bsi, uintptr_t envoy)
{
    bsi->api->setCancel(bsi, (void*) envoy, lock_cancelled);
    bsi->api->add(bsi, (void*) envoy, lock_waits, NULL);
}
