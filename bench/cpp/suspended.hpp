// The row Suspended: n flows at once add one, wait for a value from outside, and
// add one to it. An operation is the life of all n. B/flow is the memory in use
// while all wait, without the lists that are kept here, divided by n.
#ifndef BENCH_CPP_SUSPENDED_HPP
#define BENCH_CPP_SUSPENDED_HPP

#include "world.hpp"

#include <memory>
#include <vector>

class Crowd
{
public:
    explicit Crowd(size_t n)
    {
        roots.reserve(n);
        waiting.reserve(n);
    }

    // suspend starts all flows and returns when all wait.
    void suspend()
    {
        world.value = 0;
        for (size_t i = 0; i < roots.capacity(); ++i) {
            roots.emplace_back(new futoin::ri::AsyncSteps(world.tool));
            auto& root = *roots.back();

            root.add([this](futoin::IAsyncSteps&) { ++world.value; });
            root.add([this](futoin::IAsyncSteps& as) {
                as.waitExternal();
                waiting.push_back(&as);
            });
            root.add([this](futoin::IAsyncSteps&) { ++world.value; });
            root.execute();
        }
        world.drain();
    }

    // finish completes all flows, and reports whether each has run to its end.
    bool finish()
    {
        for (auto* as : waiting) {
            as->success();
        }
        world.drain();
        waiting.clear();
        roots.clear();
        return world.value == int(2 * roots.capacity());
    }

private:
    World world;
    std::vector<std::unique_ptr<futoin::ri::AsyncSteps>> roots;
    std::vector<futoin::IAsyncSteps*> waiting;
};

#endif
