#include "foreign.h"
#include "recorder.h"
#include "_cgo_export.h"

static void scheduled(void* data)
{
    ftngoScheduled((uintptr_t) data);
}

FutoInAsyncSteps* ftn_abroad_new(FutoInAsyncSteps* of)
{
    return of->api->newInstance(of);
}

void ftn_abroad_free(FutoInAsyncSteps* own)
{
    own->api->free(own);
}

FutoInHandle ftn_abroad_schedule(FutoInAsyncSteps* on, int64_t ms, uintptr_t callback)
{
    if (ms < 0) {
        return on->api->sched_immediate(on, (void*) callback, scheduled);
    }
    return on->api->sched_deferred(on, (uint32_t) ms, (void*) callback, scheduled);
}

void ftn_abroad_cancel(FutoInAsyncSteps* on, FutoInHandle handle)
{
    on->api->sched_cancel(on, &handle);
}

int ftn_abroad_same(FutoInAsyncSteps* on)
{
    return on->api->is_same_thread(on);
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

/* The bag holds what Go has added to a run, until the run is destroyed. */
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

void ftn_abroad_success(FutoInAsyncSteps* bsi, FutoInArgs* args)
{
    bsi->api->success(bsi, args);
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

void ftn_abroad_lock_wait(FutoInAsyncSteps* bsi, uintptr_t stay)
{
    bsi->api->setCancel(bsi, (void*) stay, lock_cancelled);
}
