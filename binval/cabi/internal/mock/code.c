#include "mock.h"
#include "_cgo_export.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int mock_is_ours(FutoInAsyncSteps* bsi);
const char* mock_info(FutoInAsyncSteps* bsi);

static const FutoInType i32 = {FTN_TYPE_INT32, NULL};

void mock_gives(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    FutoInArgs out;

    (void) args;
    memset(&out, 0, sizeof(out));
    out.arg0.type = &i32;
    out.arg0.i32 = (int32_t) (intptr_t) data;
    bsi->api->success(bsi, &out);
}

void mock_takes(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) bsi;
    *(int32_t*) data = args->arg0.type && args->arg0.type->flags == FTN_TYPE_INT32
                               ? args->arg0.i32
                               : -1;
    futoin_reset_binval(&((FutoInArgs*) args)->arg0);
}

void mock_fails(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) args;
    bsi->api->handle_error(bsi, data, "info of C");
}

void mock_catches(FutoInAsyncSteps* bsi, void* data, const char* code)
{
    mock_caught* to = data;
    const char* info;

    to->count++;
    memset(to->code, 0, sizeof(to->code));
    strncpy(to->code, code, sizeof(to->code) - 1);
    info = mock_is_ours(bsi)
                   ? mock_info(bsi)
                   : bsi->api->stateVariable(bsi, NULL, "error_info", NULL, NULL);
    memset(to->info, 0, sizeof(to->info));
    strncpy(to->info, info ? info : "", sizeof(to->info) - 1);
}

void mock_recovers(FutoInAsyncSteps* bsi, void* data, const char* code)
{
    FutoInArgs none = {0};

    mock_catches(bsi, data, code);
    bsi->api->success(bsi, &none);
}

void mock_reraises(FutoInAsyncSteps* bsi, void* data, const char* code)
{
    (void) data;
    bsi->api->handle_error(bsi, code, NULL);
}

static void* gives_four(void* bsi)
{
    mock_gives(bsi, (void*) 4, NULL);
    return NULL;
}

static void* fails_soon(void* bsi)
{
    mock_fails(bsi, "Soon", NULL);
    return NULL;
}

void mock_soon(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    pthread_t thread;

    (void) args;
    pthread_create(&thread, NULL, strstr(data, "fails") ? fails_soon : gives_four, bsi);
    pthread_join(thread, NULL); /* so the thread is faster than this code */
    if (strstr(data, "waits")) {
        bsi->api->waitExternal(bsi);
    }
}

typedef struct
{
    FutoInAsyncSteps* bsi;
    int returns; /* the code is about to return; atomic */
    int spins;
} soon_after;

static void* gives_four_soon_after(void* data)
{
    soon_after* a = data;

    while (!__atomic_load_n(&a->returns, __ATOMIC_ACQUIRE)) {
    }
    while (__atomic_sub_fetch(&a->spins, 1, __ATOMIC_RELAXED) > 0) {
    }
    mock_gives(a->bsi, (void*) 4, NULL);
    free(a);
    return NULL;
}

void mock_soon_after(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    soon_after* a = malloc(sizeof(*a));
    pthread_t thread;

    (void) data;
    a->bsi = bsi;
    a->returns = 0;
    a->spins = args->arg0.i32;
    pthread_create(&thread, NULL, gives_four_soon_after, a);
    pthread_detach(thread);
    bsi->api->waitExternal(bsi);
    __atomic_store_n(&a->returns, 1, __ATOMIC_RELEASE);
}

void mock_waits(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    bsi->api->setTimeout(bsi, 5);
    bsi->api->waitExternal(bsi);
}

void mock_late(FutoInAsyncSteps* bsi, void* data, const char* code)
{
    pthread_t thread;

    (void) data;
    (void) code;
    pthread_create(&thread, NULL, gives_four, bsi); /* for the body */
    pthread_join(thread, NULL);
    bsi->api->setTimeout(bsi, 50);
    bsi->api->waitExternal(bsi);
}

static FutoInAsyncSteps* asked;

static void asks(FutoInBinaryValue* v)
{
    (void) v;
    (void) asked->api->isValid(asked);
}

static const FutoInType asking = {FTN_TYPE_CUSTOM_OBJECT, asks};

static void* gives_asking(void* bsi)
{
    FutoInArgs out;

    memset(&out, 0, sizeof(out));
    out.arg0.type = &asking;
    ((FutoInAsyncSteps*) bsi)->api->success(bsi, &out);
    return NULL;
}

void mock_drops(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    pthread_t thread;

    (void) args;
    asked = bsi;
    pthread_create(&thread, NULL, gives_asking, bsi);
    pthread_join(thread, NULL);
    bsi->api->handle_error(bsi, data, "it has decided otherwise");
}

void mock_asks_go(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) args;
    mockHook(bsi, (uintptr_t) data);
}

void mock_tells_go(FutoInAsyncSteps* bsi, void* data, const char* code)
{
    (void) bsi;
    mockCaught((uintptr_t) data, (char*) code);
}

typedef struct
{
    FutoInAsyncSteps* bsi;
    uintptr_t hook;
} completing;

static void completes(void* data)
{
    completing c = *(completing*) data;
    FutoInArgs none = {0};

    free(data);
    c.bsi->api->success(c.bsi, &none);
    mockHook(c.bsi, c.hook);
}

void mock_completes(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    completing* c = malloc(sizeof(*c));

    (void) args;
    c->bsi = bsi;
    c->hook = (uintptr_t) data;
    bsi->api->waitExternal(bsi);
    bsi->api->sched_immediate(bsi, c, completes);
}

static void tells_go(void* data)
{
    mockHook(NULL, (uintptr_t) data);
}

void mock_schedules(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) args;
    bsi->api->sched_immediate(bsi, data, tells_go);
    mockHook(bsi, (uintptr_t) data);
}

void mock_forwards(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) data;
    bsi->api->success(bsi, (FutoInArgs*) args);
}

void mock_nothing(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) bsi;
    (void) data;
    (void) args;
}

void mock_adds(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    (void) args;
    bsi->api->add(bsi, data, mock_nothing, NULL);
}

void mock_turn(FutoInAsyncSteps* bsi, void* data, size_t i)
{
    (void) i;
    bsi->api->add(bsi, data, mock_nothing, NULL);
}

void mock_add(FutoInAsyncSteps* bsi, uintptr_t data, uintptr_t f, uintptr_t eh)
{
    bsi->api->add(
            bsi,
            (void*) data,
            (FutoInAsyncSteps_execute_callback) f,
            (FutoInAsyncSteps_error_callback) eh);
}

void mock_add_sync(
        FutoInAsyncSteps* bsi, FutoInSync* sync, uintptr_t data, uintptr_t f, uintptr_t eh)
{
    bsi->api->addSync(
            bsi,
            sync,
            (void*) data,
            (FutoInAsyncSteps_execute_callback) f,
            (FutoInAsyncSteps_error_callback) eh);
}

void mock_execute(FutoInAsyncSteps* bsi, uintptr_t data, uintptr_t unhandled)
{
    bsi->api->execute(bsi, (void*) data, (FutoInAsyncSteps_error_callback) unhandled);
}

static void hooked(FutoInAsyncSteps* bsi, void* data)
{
    (void) bsi;
    mockHook(NULL, (uintptr_t) data);
}

void mock_set_cancel(FutoInAsyncSteps* bsi, uintptr_t hook)
{
    bsi->api->setCancel(bsi, (void*) hook, hooked);
}

int mock_same_thread(FutoInAsyncSteps* bsi) { return bsi->api->is_same_thread(bsi); }
void mock_cancel(FutoInAsyncSteps* bsi) { bsi->api->cancel(bsi); }
FutoInAsyncSteps* mock_instance(FutoInAsyncSteps* bsi) { return bsi->api->newInstance(bsi); }
FutoInAsyncSteps* mock_parallel(FutoInAsyncSteps* bsi) { return bsi->api->parallel(bsi, NULL, NULL); }
void* mock_stack(FutoInAsyncSteps* bsi, size_t size) { return bsi->api->stack(bsi, size, NULL); }
void mock_success(FutoInAsyncSteps* bsi, FutoInArgs* args) { bsi->api->success(bsi, args); }
void mock_release(FutoInAsyncSteps* bsi) { bsi->api->free(bsi); }

void mock_repeat(FutoInAsyncSteps* bsi, size_t count)
{
    bsi->api->repeat(bsi, NULL, count, mock_turn, NULL);
}

static void succeeds(void* step)
{
    FutoInAsyncSteps* bsi = step;
    FutoInArgs none = {0};

    bsi->api->success(bsi, &none);
}

static void waiting_turn(FutoInAsyncSteps* bsi, void* data, size_t i)
{
    (void) data;
    (void) i;
    bsi->api->waitExternal(bsi);
    bsi->api->sched_immediate(bsi, bsi, succeeds);
}

void mock_repeat_waiting(FutoInAsyncSteps* bsi, size_t count)
{
    bsi->api->repeat(bsi, NULL, count, waiting_turn, NULL);
}

static void asking_turn(FutoInAsyncSteps* bsi, void* data, size_t i)
{
    (void) i;
    mockHook(bsi, (uintptr_t) data);
}

void mock_repeat_asking(FutoInAsyncSteps* bsi, size_t count, uintptr_t hook)
{
    bsi->api->repeat(bsi, (void*) hook, count, asking_turn, NULL);
}

static void* tells_made(void* data)
{
    mockHook(NULL, (uintptr_t) data);
    return data;
}

static void tells_cleaned(void* data, void* value)
{
    (void) value;
    mockCaught((uintptr_t) data, "");
}

uintptr_t mock_state(FutoInAsyncSteps* bsi, const char* name, uintptr_t hook)
{
    return (uintptr_t) bsi->api->stateVariable(bsi, (void*) hook, name, tells_made, tells_cleaned);
}

static void tells_stack(void* memory) { mockHook(NULL, *(uintptr_t*) memory); }

void mock_stack_telling(FutoInAsyncSteps* bsi, uintptr_t hook)
{
    *(uintptr_t*) bsi->api->stack(bsi, sizeof(hook), tells_stack) = hook;
}

void mock_call_back(uintptr_t hook) { mockHook(NULL, hook); }


uintptr_t mock_f_gives(void) { return (uintptr_t) mock_gives; }
uintptr_t mock_f_takes(void) { return (uintptr_t) mock_takes; }
uintptr_t mock_f_fails(void) { return (uintptr_t) mock_fails; }
uintptr_t mock_f_catches(void) { return (uintptr_t) mock_catches; }
uintptr_t mock_f_recovers(void) { return (uintptr_t) mock_recovers; }
uintptr_t mock_f_reraises(void) { return (uintptr_t) mock_reraises; }
uintptr_t mock_f_asks(void) { return (uintptr_t) mock_asks_go; }
uintptr_t mock_f_tells(void) { return (uintptr_t) mock_tells_go; }
uintptr_t mock_f_completes(void) { return (uintptr_t) mock_completes; }
uintptr_t mock_f_schedules(void) { return (uintptr_t) mock_schedules; }
uintptr_t mock_f_forwards(void) { return (uintptr_t) mock_forwards; }
uintptr_t mock_f_soon(void) { return (uintptr_t) mock_soon; }
uintptr_t mock_f_soon_after(void) { return (uintptr_t) mock_soon_after; }
uintptr_t mock_f_waits(void) { return (uintptr_t) mock_waits; }
uintptr_t mock_f_late(void) { return (uintptr_t) mock_late; }
uintptr_t mock_f_drops(void) { return (uintptr_t) mock_drops; }
uintptr_t mock_f_adds(void) { return (uintptr_t) mock_adds; }

void mock_empty(void) {}
