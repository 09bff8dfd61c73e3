/*
 * A small engine of asynchronous steps in C, which plays the foreign side in tests: one
 * FutoInAsyncSteps per run, steps in linked lists, virtual time. It has no parallel steps,
 * loops, stack or time limits.
 */
#ifndef MOCK_H
#define MOCK_H

#include "../../futoin_asyncsteps.h"

typedef struct mock mock;

mock* mock_new(void);
void mock_free(mock* m);
FutoInAsyncSteps* mock_root(mock* m);
/* Runs until nothing is queued, and waits for other threads while pending > 0. */
void mock_run(mock* m);
void mock_pend(mock* m, int change);
int mock_alive(mock* m);   /* runs that aren't destroyed */
int mock_misused(mock* m); /* calls that cabi mustn't make */
uint64_t mock_now(mock* m);

/* The mutex of that engine admits one flow at a time, first come first served. */
FutoInSync* mock_mutex(void);
int mock_mutex_queued(FutoInSync* s);
int mock_mutex_locked(FutoInSync* s);

/* Code for steps, of any engine. */
void mock_gives(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);   /* int32 of data */
void mock_takes(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);   /* stores int32 at data */
void mock_fails(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);   /* code is data */
void mock_catches(FutoInAsyncSteps* bsi, void* data, const char* code);       /* stores at data, and leaves the error unhandled */
void mock_recovers(FutoInAsyncSteps* bsi, void* data, const char* code);      /* stores at data, succeeds */
void mock_reraises(FutoInAsyncSteps* bsi, void* data, const char* code);
void mock_asks_go(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args); /* see Hook */
void mock_tells_go(FutoInAsyncSteps* bsi, void* data, const char* code);      /* see HookBoth */
/* It waits, and a callback completes it and then calls the hook. */
void mock_completes(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
/* It schedules a callback that calls the hook without a pointer, and calls the hook itself. */
void mock_schedules(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
void mock_forwards(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
void mock_adds(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);    /* one empty sub-step */
void mock_soon(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);    /* a thread gives 4, or fails if data has "fails"; then it waits if data has "waits" */
/* It waits. A thread spins as often as the input says, from shortly before the return, and gives 4. */
void mock_soon_after(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
void mock_waits(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);   /* 5 ms at most; nobody completes it */
void mock_late(FutoInAsyncSteps* bsi, void* data, const char* code);          /* a thread of the body gives 4; then it waits */
void mock_drops(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);   /* fails with code data; a thread has given a value whose cleanup calls isValid */
void mock_nothing(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args);
void mock_turn(FutoInAsyncSteps* bsi, void* data, size_t i);

/* Calls through a table, for Go. */
void mock_add(FutoInAsyncSteps* bsi, uintptr_t data, uintptr_t f, uintptr_t eh);
void mock_add_sync(FutoInAsyncSteps* bsi, FutoInSync* sync, uintptr_t data, uintptr_t f, uintptr_t eh);
void mock_execute(FutoInAsyncSteps* bsi, uintptr_t data, uintptr_t unhandled);
void mock_set_cancel(FutoInAsyncSteps* bsi, uintptr_t hook);
int mock_same_thread(FutoInAsyncSteps* bsi);
void mock_cancel(FutoInAsyncSteps* bsi);
FutoInAsyncSteps* mock_instance(FutoInAsyncSteps* bsi);
FutoInAsyncSteps* mock_parallel(FutoInAsyncSteps* bsi);
void* mock_stack(FutoInAsyncSteps* bsi, size_t size);
void mock_stack_telling(FutoInAsyncSteps* bsi, uintptr_t hook);
void mock_success(FutoInAsyncSteps* bsi, FutoInArgs* args);
void mock_release(FutoInAsyncSteps* bsi);
void mock_repeat(FutoInAsyncSteps* bsi, size_t count);
void mock_repeat_waiting(FutoInAsyncSteps* bsi, size_t count);
void mock_repeat_asking(FutoInAsyncSteps* bsi, size_t count, uintptr_t hook);
uintptr_t mock_state(FutoInAsyncSteps* bsi, const char* name, uintptr_t hook);
void mock_call_back(uintptr_t hook);

/* The addresses of the code above, for Go. */
uintptr_t mock_f_gives(void);
uintptr_t mock_f_takes(void);
uintptr_t mock_f_fails(void);
uintptr_t mock_f_catches(void);
uintptr_t mock_f_recovers(void);
uintptr_t mock_f_reraises(void);
uintptr_t mock_f_asks(void);
uintptr_t mock_f_tells(void);
uintptr_t mock_f_completes(void);
uintptr_t mock_f_schedules(void);
uintptr_t mock_f_forwards(void);
uintptr_t mock_f_soon(void);
uintptr_t mock_f_soon_after(void);
uintptr_t mock_f_waits(void);
uintptr_t mock_f_late(void);
uintptr_t mock_f_drops(void);
uintptr_t mock_f_adds(void);
void mock_empty(void);

typedef struct mock_caught
{
    int count;
    char code[64];
    char info[64];
} mock_caught;

#endif
