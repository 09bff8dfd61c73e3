/* Steps that sdk_test.go checks. */
#include "futoin_guest.h"

#include <stdio.h>

FUTOIN_STEP(hello)
{
    char text[64];

    (void) data;
    snprintf(text, sizeof(text), "Hello, %.40s", futoin_string(as, args));
    futoin_give_string(as, text);
}

/* waits: a timer completes the step. */

static void rings(void* data) { futoin_give_int32(data, 7); }

FUTOIN_STEP(waits)
{
    (void) data;
    (void) args;
    as->api->waitExternal(as);
    as->api->sched_deferred(as, 20, as, rings);
}

/* adds: two branches side by side, then a step that adds up what they have found. */

typedef struct
{
    int32_t left, right;
} sums;

static void finds(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    (void) as;
    (void) args;
    *(int32_t*) data += 20;
}

static void adds_up(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    sums* s = data;

    (void) args;
    futoin_give_int32(as, s->left + s->right);
}

FUTOIN_STEP(adds)
{
    sums* s = as->api->stack(as, sizeof(*s), NULL); /* lives as long as the step */
    FutoInAsyncSteps* branches = as->api->parallel(as, NULL, NULL);

    (void) data;
    s->left = futoin_int32(args, 0);
    branches->api->add(branches, &s->left, finds, NULL);
    branches->api->add(branches, &s->right, finds, NULL);
    as->api->add(as, s, adds_up, NULL);
}

FUTOIN_STEP(fails)
{
    (void) data;
    (void) args;
    futoin_fail(as, "OutOfStock", "three are left");
}

/* handles: a handler answers the error of a sub-step by a value. */

static void answers(FutoInAsyncSteps* as, void* data, const char* code)
{
    (void) data;
    futoin_give_string(as, code);
}

FUTOIN_STEP(handles)
{
    as->api->add(as, data, fails, answers);
    (void) args;
}

FUTOIN_STEP(drops)
{
    (void) as;
    (void) data;
    futoin_drop(args);
}
