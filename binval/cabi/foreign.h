/* What this package needs of a foreign engine. Most functions use one function of its table. */
#ifndef FTN_FOREIGN_H
#define FTN_FOREIGN_H

#include "futoin_asyncsteps.h"

/* The loop of a foreign engine, used through an instance that was made for this. */
typedef struct ftn_abroad ftn_abroad;

/* Makes one, in the code of a step of that engine. Returns NULL if there is no memory or no instance. */
ftn_abroad* ftn_abroad_open(FutoInAsyncSteps* of);
/*
 * Gives it up, on the loop. What was scheduled is called nevertheless, and an errand that
 * hasn't arrived keeps the instance until it does.
 */
void ftn_abroad_close(ftn_abroad* a);
/* Schedules after ms milliseconds, or as an immediate if that is negative. On the loop. */
FutoInHandle ftn_abroad_schedule(ftn_abroad* on, int64_t ms, uintptr_t callback);
void ftn_abroad_cancel(ftn_abroad* on, FutoInHandle handle);
/*
 * Schedules like ftn_abroad_schedule, from any thread, without waiting for the loop, and by the
 * clock of the courier. Returns 0 if it can't be done.
 */
int ftn_abroad_send(ftn_abroad* on, int64_t ms, uintptr_t callback);
/* Takes an errand back. Returns 0 if the courier has begun to deliver it. */
int ftn_abroad_recall(ftn_abroad* on, uintptr_t callback);
void ftn_abroad_arrived(uintptr_t callback);
int ftn_abroad_same(ftn_abroad* on);
int ftn_abroad_here(FutoInAsyncSteps* of); /* ftn_abroad_same, for the loop of a step */
FutoInAsyncSteps* ftn_abroad_own(ftn_abroad* a);

void ftn_abroad_add(FutoInAsyncSteps* bsi, uintptr_t visit);
int ftn_abroad_bag(FutoInAsyncSteps* bsi, uintptr_t* bag);
void ftn_abroad_wait(FutoInAsyncSteps* bsi, uintptr_t stay);
void ftn_abroad_success(FutoInAsyncSteps* bsi, FutoInArgs* args);
void ftn_abroad_error(FutoInAsyncSteps* bsi, uintptr_t code, uintptr_t info);
ptrdiff_t ftn_abroad_flow(FutoInAsyncSteps* bsi);
void ftn_abroad_lock_wait(FutoInAsyncSteps* bsi, uintptr_t envoy);

#endif
