/* What this package needs of a foreign engine: one C function per use of its table. */
#ifndef FTN_FOREIGN_H
#define FTN_FOREIGN_H

#include "futoin_asyncsteps.h"

FutoInAsyncSteps* ftn_abroad_new(FutoInAsyncSteps* of);
void ftn_abroad_free(FutoInAsyncSteps* own);
/* after ms milliseconds, or as an immediate if that is negative */
FutoInHandle ftn_abroad_schedule(FutoInAsyncSteps* on, int64_t ms, uintptr_t callback);
void ftn_abroad_cancel(FutoInAsyncSteps* on, FutoInHandle handle);
int ftn_abroad_same(FutoInAsyncSteps* on);

void ftn_abroad_add(FutoInAsyncSteps* bsi, uintptr_t visit);
int ftn_abroad_bag(FutoInAsyncSteps* bsi, uintptr_t* bag);
void ftn_abroad_wait(FutoInAsyncSteps* bsi, uintptr_t stay);
void ftn_abroad_success(FutoInAsyncSteps* bsi, FutoInArgs* args);
void ftn_abroad_error(FutoInAsyncSteps* bsi, uintptr_t code, uintptr_t info);
ptrdiff_t ftn_abroad_flow(FutoInAsyncSteps* bsi);
void ftn_abroad_lock_wait(FutoInAsyncSteps* bsi, uintptr_t stay);

#endif
