/*
 * An engine of asynchronous steps (FTN12) for C and C++. It starts no thread of
 * its own to run steps on: ftngo_run and ftngo_iterate do, on their caller's.
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

/* Makes a loop. Any thread. */
ftngo_tool* ftngo_tool_new(void);

/* What these three give back when they refuse. */
#define FTNGO_BUSY (-1)

/*
 * Cancels what still runs, lets it unwind, and gives the loop up: 0. Roots are freed
 * before. FTNGO_BUSY, and nothing happens, while the loop is driven: by a callback of
 * it, or when another thread is in ftngo_run or ftngo_iterate.
 */
int ftngo_tool_free(ftngo_tool* tool);

/*
 * Runs callbacks, and waits for them, until nothing is queued and no root runs: 0.
 * With a limit_ms of 0 or more it returns 1 when that time has passed before;
 * a negative one is no limit. One thread at a time drives a loop: a call by another
 * one, or by a callback of the loop, gives FTNGO_BUSY at once and does nothing.
 */
int ftngo_run(ftngo_tool* tool, int64_t limit_ms);

/* Takes one turn without waiting: 1 if any callback ran, or FTNGO_BUSY as ftngo_run. */
int ftngo_iterate(ftngo_tool* tool);

/* Makes a root without steps. Any thread. */
FutoInAsyncSteps* ftngo_root_new(ftngo_tool* tool);

/* The same as root->api->free(root): a run that goes on is cancelled. */
void ftngo_root_free(ftngo_tool* tool, FutoInAsyncSteps* root);

/*
 * Guards, for addSync. A max_queue below zero is no limit, 0 lets none wait; burst is
 * the same for those that wait for the rate. NULL if an argument is out of range. May
 * be shared by several loops.
 */
FutoInSync* ftngo_mutex_new(uint32_t max, int64_t max_queue);
FutoInSync* ftngo_throttle_new(uint32_t max, uint32_t period_ms, int64_t max_queue);
FutoInSync* ftngo_limiter_new(
        uint32_t concurrent,
        int64_t max_queue,
        uint32_t rate,
        uint32_t period_ms,
        int64_t burst);

/* Gives a guard up that no step will enter any more. */
void ftngo_sync_free(FutoInSync* sync);

/* How many FutoInAsyncSteps name something: 0 when all is over and freed. */
int64_t ftngo_live(void);

#ifdef __cplusplus
}
#endif

#endif /* FTNGO_H */
