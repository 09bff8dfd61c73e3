// Measures the rows of the comparison on the C++ implementation of AsyncSteps,
// and prints the figures as Go's benchmarks do: rows [MILLISECONDS]. That is how
// long each measurement takes at least; 0 is one operation.
//
// That implementation has no plans that are built once: each operation makes a
// root, adds its steps, executes it, and turns the event loop until nothing is
// left to run. A value goes from step to step through a variable.

#include "../native/measure.h"
#include "suspended.hpp"
#include "world.hpp"

#include <cstdio>
#include <cstdlib>

#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define HAS_MALLINFO2
#endif
#endif

using futoin::IAsyncSteps;
namespace ri = futoin::ri;

namespace
{
    const char* const column = "cpp";

    // A row whose operation is one run.
    struct Flow
    {
        const char* name;
        int want; // is the value after a run
        void (*add)(World& world, IAsyncSteps& root);
        World* world;
    };

    const Flow flows[] = {
            {"Start",
             1,
             [](World& w, IAsyncSteps& root) {
                 root.add([&w](IAsyncSteps&) { ++w.value; });
             },
             nullptr},
            {"StartWait",
             1,
             [](World& w, IAsyncSteps& root) {
                 root.add([&w](IAsyncSteps& as) { w.wait(as); });
             },
             nullptr},
            {"StartTimeout",
             1,
             [](World& w, IAsyncSteps& root) {
                 root.add([&w](IAsyncSteps& as) {
                     as.setTimeout(std::chrono::hours(1));
                     ++w.value;
                     as.success();
                 });
             },
             nullptr},
            // The sum of two branches is another step, as it is in a plan.
            {"StartPar2",
             3,
             [](World& w, IAsyncSteps& root) {
                 auto& both = root.parallel();

                 both.add([&w](IAsyncSteps&) { ++w.value; });
                 both.add([&w](IAsyncSteps&) { ++w.value; });
                 root.add([&w](IAsyncSteps&) { ++w.value; });
             },
             nullptr},
            {"StartMutex",
             1,
             [](World& w, IAsyncSteps& root) {
                 root.sync(w.mutex, [&w](IAsyncSteps&) { ++w.value; });
             },
             nullptr},
    };

    void run(void* data, size_t count)
    {
        auto& flow = *static_cast<Flow*>(data);
        auto& world = *flow.world;

        for (; count > 0; --count) {
            ri::AsyncSteps root(world.tool);

            world.value = 0;
            flow.add(world, root);
            root.execute();
            world.drain();
            if (world.value != flow.want) {
                measure_wrong(flow.name);
            }
        }
    }

    // A row whose operation is one turn of a loop, which begins once.
    struct Loop
    {
        const char* name;
        void (*body)(World& world, IAsyncSteps& as);
        World* world;
        int left; // turns
    };

    const Loop loops[] = {
            {"Turn", [](World& w, IAsyncSteps&) { ++w.value; }, nullptr, 0},
            {"TurnWait",
             [](World& w, IAsyncSteps& as) { w.wait(as); },
             nullptr,
             0},
    };

    void turn(void* data, size_t count)
    {
        auto& loop = *static_cast<Loop*>(data);
        ri::AsyncSteps root(loop.world->tool);

        loop.world->value = 0;
        loop.left = int(count);
        // repeat() doesn't end after a body that has waited.
        root.loop([&loop](IAsyncSteps& as) {
            if (loop.left-- == 0) {
                as.breakLoop();
            }
            loop.body(*loop.world, as);
        });
        root.execute();
        loop.world->drain();
        if (loop.world->value != int(count)) {
            measure_wrong(loop.name);
        }
    }

    // live does what the clock sees of the row Suspended. When it begins, the
    // flows wait already, and they do when it ends.
    void live(void* data, size_t count)
    {
        auto& crowd = *static_cast<Crowd*>(data);

        for (; count > 0; --count) {
            if (!crowd.finish()) {
                measure_wrong("Suspended");
            }
            crowd.suspend();
        }
    }

    // in_use is the memory that isn't free, in bytes, or zero if nobody tells.
    double in_use()
    {
#ifdef HAS_MALLINFO2
        auto info = mallinfo2();

        return double(info.uordblks) + double(info.hblkhd);
#else
        return 0;
#endif
    }

    void suspended(size_t n)
    {
        Crowd crowd(n);
        double before = in_use();

        crowd.suspend();
        double bytes = in_use() - before;
        auto m = measure(live, &crowd);

        measure_print("Suspended", column, n, m);
        std::printf(
                " %.2f ns/flow %.2f cpu-ns/flow",
                m.clock / double(n),
                m.processor / double(n));
        if (bytes > 0) {
            std::printf(" %.0f B/flow", bytes / double(n));
        }
        std::printf("\n");
        if (!crowd.finish()) {
            measure_wrong("Suspended");
        }
    }
}

int main(int argc, char** argv)
{
    measure_least = 1e6 * (argc > 1 ? std::atof(argv[1]) : 300);
    for (auto flow : flows) {
        World world;

        flow.world = &world;
        measure_row(flow.name, column, 0, run, &flow);
    }
    for (auto loop : loops) {
        World world;

        loop.world = &world;
        measure_row(loop.name, column, 0, turn, &loop);
    }
    suspended(1000);
    suspended(10000);
    if (measure_least > 0) {
        suspended(100000);
    }
}
