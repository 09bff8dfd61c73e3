/* What the programs in C share beside the rig: a loop, a root, and callbacks that tell when they are called. */
#ifndef SCENE_H
#define SCENE_H

#include "rig.h"

#include <pthread.h>

typedef FutoInAsyncSteps S;
#define A(s) ((s)->api)

static ftngo_tool* tool;
static S* root;

/* A step that says its data. */
static inline void word(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) args;
    say(data);
}

/* A handler that says the code, and handles nothing. */
static inline void caught(S* s, void* data, const char* code)
{
    (void) s;
    (void) data;
    say(code);
}

/* Calls f on another thread, and waits for it. */
static inline void elsewhere(void* (*f)(void*), void* data)
{
    pthread_t other;

    CHECK(pthread_create(&other, NULL, f, data) == 0);
    pthread_join(other, NULL);
}

#endif
