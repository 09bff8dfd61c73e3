// What the rows share: a loop that this thread turns, and plain and waiting
// steps.
#ifndef BENCH_CPP_WORLD_HPP
#define BENCH_CPP_WORLD_HPP

#include <futoin/ri/asyncsteps.hpp>
#include <futoin/ri/asynctool.hpp>
#include <futoin/ri/mutex.hpp>

// unlocked lets the memory pool of a loop that one thread uses work without
// locks, as the implementation advises.
inline futoin::ri::AsyncTool::Params unlocked()
{
    futoin::ri::AsyncTool::Params params;

    params.mempool_mutex = false;
    return params;
}

struct World
{
    futoin::ri::AsyncTool tool{[]() {}, unlocked()};
    futoin::ri::Mutex mutex;
    int value = 0; // is what the steps count up

    // drain turns the loop until nothing is ready to run. Timers may be left.
    void drain()
    {
        for (;;) {
            auto cycle = tool.iterate();

            if (!cycle.have_work || cycle.delay.count() > 0) {
                return;
            }
        }
    }

    // wait suspends a step until the next turn of the loop, which adds one.
    void wait(futoin::IAsyncSteps& as)
    {
        as.waitExternal();
        tool.immediate([this, &as]() {
            ++value;
            as.success();
        });
    }
};

#endif
