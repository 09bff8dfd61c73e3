/*
 * An engine of asynchronous steps behind the C interface of FTN12 §2.7.
 */
#ifndef BENCH_CABI_ENGINE_H
#define BENCH_CABI_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

struct FutoInAsyncSteps_;

typedef struct engine
{
    const char* column;             /* of the comparison */
    struct FutoInAsyncSteps_* root; /* its newInstance makes what is executed */
    void* loop;
    void (*drain)(void* loop); /* runs the loop until nothing is ready to run */
} engine;

/* Each returns an engine that lives until the program ends. */
engine engine_asyncsteps(void);
engine engine_cpp(void);

#ifdef __cplusplus
}
#endif

#endif
