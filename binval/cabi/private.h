/*
 * What the C files of this package share: which code runs on this thread, and the recording
 * of its calls.
 */
#ifndef FTN_PRIVATE_H
#define FTN_PRIVATE_H

#include "recorder.h"

/* Which calls are kept until the code that makes them returns; see struct ftn_lane. */
enum ftn_keeps
{
    FTN_KEEPS_NOTHING,
    FTN_KEEPS_IMMEDIATE, /* code of a step: sched_immediate by its own pointer */
    FTN_KEEPS_SUCCESS    /* a callback: success of a step that waits */
};

/*
 * With this model a thread finds its variable without a call. The runtime of Go uses the
 * model too, so it doesn't limit further how the library can be loaded.
 */
#ifdef __ELF__
#define FTN_NEAR __attribute__((tls_model("initial-exec")))
#else
#define FTN_NEAR
#endif
extern _Thread_local ftn_running ftn_here FTN_NEAR;

#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define STORE(field, v) __atomic_store_n(&(field), (v), __ATOMIC_RELEASE)

struct ftn_block
{
    ftn_block* older;
    void (*cleanup)(void* value);
    _Alignas(max_align_t) char value[];
};

/* Appends a note. Returns NULL if there is no memory for it. */
ftn_note* ftn_note_new(ftn_steps* s, uint32_t op);

/*
 * Appends a note if the step takes calls on this thread, see ftn_runs. Otherwise the call of the
 * function with that index is a violation, and the result is NULL.
 */
ftn_note* ftn_record(FutoInAsyncSteps* bsi, uint32_t op, size_t index);

/* Records or reports a violation by a call of the function with that index. */
void ftn_misuse(ftn_steps* s, size_t index);

/*
 * Whether code of the step runs on this thread, or s takes steps, as a root does again when
 * its run has ended.
 */
bool ftn_runs(ftn_steps* s);

/*
 * Whether the step may be waiting for a completion, so that Go has to be asked. A step that
 * executes may have begun to wait.
 */
bool ftn_completes(ftn_steps* s);

/* The handle of the task with that number; an empty one for 0. */
FutoInHandle ftn_handle(ptrdiff_t number);

#endif
