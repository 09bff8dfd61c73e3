/* The C++ reference implementation, for Go: its engine, its guards, flows of it. */
#ifndef ENGINE_H
#define ENGINE_H

#include "futoin_asyncsteps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its engine, with a thread of its own. */
typedef struct engine engine;
engine* engine_new(void);
void engine_free(engine* e);

/* Its guards. The throttle's clock is the loop of the steps. */
FutoInSync* their_mutex(uint32_t max, uint32_t queue);
FutoInSync* their_throttle(FutoInAsyncSteps* on, uint32_t max, uint32_t period_ms);
FutoInSync* their_limiter(FutoInAsyncSteps* on, uint32_t concurrent, uint32_t rate, uint32_t period_ms);
void their_free(FutoInSync* guard);

/* What flows of both sides count inside of a guard. */
int enters(void);
void leaves(void);
int most_inside(void);
void forget_inside(void);

/*
 * Flows of C++. Go hears what they say, and at the end the error code, or "".
 *
 * A flow that enters the guard so many times and stays for a moment.
 */
void contends(engine* e, FutoInSync* guard, int rounds, uintptr_t told);

/* A number of C++, the Go stages, then C++ says what came of it, or the error. */
void flows(engine* e, uintptr_t stages, uintptr_t told);

/* The Go stages, cancelled while they wait. */
void cancels(engine* e, uintptr_t stages, uintptr_t told);

/* Steps of C++, by lambdas, on a table of whatever engine: they double a number. */
void doubles(FutoInAsyncSteps* bsi, int32_t n);
void fails(FutoInAsyncSteps* bsi);

#ifdef __cplusplus
}
#endif

#endif
