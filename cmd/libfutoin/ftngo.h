/*
 * An engine of asynchronous steps (FTN12) for C and C++. It starts no thread to
 * run steps on: they run on the threads that call ftngo_run and ftngo_iterate.
 *
 *     ftngo_tool* tool = ftngo_tool_new();
 *     FutoInAsyncSteps* root = ftngo_root_new(tool);
 *     root->api->add(root, NULL, my_step, my_handler);
 *     root->api->execute(root, NULL, my_unhandled);
 *     ftngo_run(tool, 1000);
 *     ftngo_root_free(tool, root);
 *     ftngo_tool_free(tool);
 */
#ifndef FTNGO_H
#define FTNGO_H

#include "futoin_asyncsteps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An event loop. */
typedef struct ftngo_tool ftngo_tool;

/* Makes a loop. Any thread may call it. */
ftngo_tool* ftngo_tool_new(void);

/* The next three functions return this if they refuse the call. */
#define FTNGO_BUSY (-1)

/*
 * Cancels the runs that are left, lets them unwind, frees the loop and returns 0. Free
 * the roots before. In a callback of the loop, and while another thread is in ftngo_run
 * or ftngo_iterate, it does nothing and returns FTNGO_BUSY.
 */
int ftngo_tool_free(ftngo_tool* tool);

/*
 * Runs callbacks, and waits for them, until nothing is queued and no root runs. Then it
 * returns 0. If limit_ms is 0 or more and that time passes before, it returns 1; a
 * negative limit_ms is no limit. One thread at a time drives a loop: a call by another
 * thread, or by a callback of the loop, does nothing and returns FTNGO_BUSY at once.
 */
int ftngo_run(ftngo_tool* tool, int64_t limit_ms);

/* Takes one turn without waiting. Returns 1 if a callback ran, 0 if none did, or FTNGO_BUSY. */
int ftngo_iterate(ftngo_tool* tool);

/* Makes a root without steps. Any thread may call it. */
FutoInAsyncSteps* ftngo_root_new(ftngo_tool* tool);

/* Does the same as root->api->free(root): a run that is executing is cancelled. */
void ftngo_root_free(ftngo_tool* tool, FutoInAsyncSteps* root);

/*
 * These make guards for addSync, which several loops may share. With a negative max_queue
 * any number of flows may wait, with 0 none; burst bounds those that wait for the rate
 * alike. The result is NULL if an argument is out of range.
 */
FutoInSync* ftngo_mutex_new(uint32_t max, int64_t max_queue);
FutoInSync* ftngo_throttle_new(uint32_t max, uint32_t period_ms, int64_t max_queue);
FutoInSync* ftngo_limiter_new(
        uint32_t concurrent,
        int64_t max_queue,
        uint32_t rate,
        uint32_t period_ms,
        int64_t burst);

/* Frees a guard. Steps that are inside or wait finish, but no step may begin to use it. */
void ftngo_sync_free(FutoInSync* sync);

/*
 * Returns how many FutoInAsyncSteps name a step, a parallel step or a root: 0 when all runs
 * have ended and all roots are freed.
 */
int64_t ftngo_live(void);

#ifdef __cplusplus
}
#endif

#endif /* FTNGO_H */
