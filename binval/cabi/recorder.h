/*
 * What C and Go of this package share. A FutoInAsyncSteps of this engine is a recorder: the
 * calls by the code of a step are written down here, in C, and Go reads them when the code has
 * returned. So many calls through the table don't cross to Go.
 */
#ifndef FTN_RECORDER_H
#define FTN_RECORDER_H

#include "futoin_asyncsteps.h"

enum ftn_phase
{
    FTN_FREE,      /* names no step */
    FTN_BUILDING,  /* a root, or parallel, that takes steps */
    FTN_EXECUTING, /* code of its step runs */
    FTN_HOOKING,   /* its cancel hook runs */
    FTN_GOING,     /* none of its code runs */
    FTN_OVER       /* a root whose run has ended, and which has no state variables; ftn_runs makes it
                      FTN_BUILDING */
};

enum ftn_op
{
    FTN_ADD,
    FTN_PARALLEL,
    FTN_LOOP,
    FTN_REPEAT,
    FTN_SYNC,
    FTN_PLAN, /* data is Go's handle of a plan */
    FTN_SUCCESS,
    FTN_ERROR,
    FTN_BREAK,
    FTN_CONTINUE,
    FTN_MISUSE, /* a function was called where it may not be: count says which */
    FTN_NO_MEMORY
};

typedef struct ftn_steps ftn_steps;

typedef struct ftn_note
{
    uint32_t op; /* enum ftn_op */
    uintptr_t run;
    uintptr_t catcher;
    uintptr_t data;
    size_t count;
    void* object; /* ftn_steps of FTN_PARALLEL, FutoInSync of FTN_SYNC */
    char* text;   /* label or code, a copy; may be NULL */
    char* info;   /* a copy; may be NULL */
} ftn_note;

typedef struct ftn_block ftn_block; /* of a step's stack */

/*
 * Keeps a call that was made on a loop until Go carries it out: when the code that made it
 * returns, or before the next call of the table, by any thread, that queues something on that
 * loop or asks what happened. So the calls take effect in the order in which they were made. One
 * lane serves many loops; a call that finds the lane taken crosses to Go at once.
 *
 * A free of a root whose run has ended is kept too. It voids the pointer at once. Go does the
 * rest with the next such call for a loop of this lane.
 */
typedef struct ftn_lane
{
    uintptr_t kept; /* 0: nothing; FTN_BUSY; or 4 * peer + the ftn_call; atomic */
    struct ftn_steps* freed; /* the root of a free that is kept; atomic */
    char apart[64 - sizeof(uintptr_t) - sizeof(struct ftn_steps*)];
} ftn_lane;

enum
{
    FTN_LANES = 64,
    FTN_BUSY = 1 /* a thread carries the call out */
};

/* A call that is kept, with the pointer of the peer. */
enum ftn_call
{
    FTN_IMMEDIATE = 2,    /* sched_immediate of call and call_data */
    FTN_SUCCESS_LATER = 3 /* success with out */
};

/* The fields that a step without values needs come first. */
struct ftn_steps
{
    FutoInAsyncSteps pub;
    uint32_t phase;     /* enum ftn_phase; atomic */
    uint32_t waits;     /* its code has called waitExternal, and Go doesn't know yet; atomic */
    const void* thread; /* that its code runs on; atomic */
    struct ftn_steps* around; /* whose code was running on that thread when this code began; NULL: none */
    uintptr_t loop;     /* names the loop */
    ftn_lane* lane;     /* of the loop; NULL: its calls aren't kept */
    uintptr_t peer;     /* Go's handle; never changes */
    ptrdiff_t flow;     /* rootId */
    ftn_note* notes;
    size_t count, room;
    ftn_block* stack; /* newest first; atomic */
    ftn_block* leaving; /* what ftn_unstack has taken from there and not freed yet */
    ptrdiff_t ticket; /* the number of its next immediate; 0: Go has to give one; atomic */
    uintptr_t call, call_data; /* the immediate that is kept */
    bool open;  /* Go knows that the step has begun to wait, and there is a lane; the loop's own */
    bool gives; /* out has values */
    ftn_steps* ready; /* the instance that newInstance gives next, if any; atomic */
    FutoInArgs in, out;
    char code[64]; /* of the error that a handler is called for */
};

/* What runs on a thread. The address of ftn_here tells threads apart. */
typedef struct ftn_running
{
    ftn_steps* current; /* whose code runs; NULL: none */
    uintptr_t loop;     /* that runs something here; 0: none */
    uint32_t keeps;     /* enum ftn_keeps */
} ftn_running;

typedef struct ftn_sync
{
    FutoInSync pub;
    uintptr_t guard; /* Go's handle */
} ftn_sync;

extern const FutoInAsyncStepsAPI ftn_table;
extern const FutoInSyncAPI ftn_sync_table;
extern ftn_lane ftn_lanes[FTN_LANES];

/* Go calls these. Those that call a function which C has given to this engine set ftn_here for that time. */
ftn_steps* ftn_make(uintptr_t peer);
void ftn_clear(ftn_steps* s);
ftn_running ftn_enter(ftn_steps* s, uint32_t phase);
void ftn_leave(ftn_steps* s, ftn_running outer);
/* These three take the address of an ftn_steps as a number, because cgo would check a pointer. */
void ftn_execute(uintptr_t steps, uintptr_t f, uintptr_t data);
void ftn_turn(uintptr_t steps, uintptr_t f, uintptr_t data);
void ftn_count(uintptr_t steps, uintptr_t f, uintptr_t data, size_t i);
void ftn_catch(ftn_steps* s, uintptr_t f, uintptr_t data, uintptr_t code);
void ftn_hook(ftn_steps* s, uintptr_t f, uintptr_t data);
void ftn_abandon(ftn_steps* s);
void ftn_unstack(ftn_steps* s); /* is called again if a cleanup calls Go that panics */
void ftn_scheduled(uintptr_t loop, uintptr_t f, uintptr_t data);
uintptr_t ftn_allocate(uintptr_t f, uintptr_t data);
uintptr_t ftn_astray(ftn_steps* s, uintptr_t data, uintptr_t value, uintptr_t cleanup); /* 0: no memory, value is cleaned up */
void ftn_cleanup(uintptr_t f, uintptr_t data, uintptr_t value);
void ftn_free(uintptr_t memory);
void ftn_reset(uintptr_t f, FutoInBinaryValue v);
void ftn_ended(ftn_steps* s, uintptr_t f, uintptr_t data, uintptr_t code);
int ftn_plan(FutoInAsyncSteps* bsi, uintptr_t plan);
int ftn_valid(FutoInAsyncSteps* bsi);
void ftn_release(FutoInAsyncSteps* bsi);
void ftn_locking(ftn_steps* s, FutoInSync* sync);
void ftn_unlocking(ftn_steps* s, FutoInSync* sync, uint32_t phase);
ftn_sync* ftn_sync_make(uintptr_t guard);

uintptr_t ftn_cleanup_address(void);

#endif
