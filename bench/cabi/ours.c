/* This library, as cmd/libfutoin gives it to C. */

#include "engine.h"

#include <ftngo.h>

static void drain(void* loop)
{
    ftngo_run(loop, -1);
}

engine engine_asyncsteps(void)
{
    ftngo_tool* loop = ftngo_tool_new();

    return (engine){"asyncsteps", ftngo_root_new(loop), loop, drain};
}
