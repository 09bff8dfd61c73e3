// Roots as the tests of the C++ implementation use them: results are read while the run
// ends, and a root is executed again.
#include "rig.hpp"

#include <condition_variable>
#include <mutex>

using namespace rig;

CASE(result_read_elsewhere)
{
    std::mutex mutex;
    std::condition_variable changed;
    bool asked = false;

    r.as->state()["result"] = 1;
    r.as->add([&](IAsyncSteps& as) {
        as.state()["result"] = 42;
        // When the last step has ended and the run hasn't.
        as.stack<std::shared_ptr<int>>(new int(1), [&](int* p) {
            delete p;
            std::thread([&] {
                r.say(std::to_string(futoin::any_cast<int&>(r.as->state()["result"])));
                std::lock_guard<std::mutex> lock(mutex);
                asked = true;
                changed.notify_one();
            }).detach();
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return asked; });
        });
    });
    r.run();
    CHECK(asked);
    EXPECT("42");
}

CASE(executed_again)
{
    int n = 0;

    for (int i = 0; i < 3; i++) {
        r.as->add([&](IAsyncSteps& as) {
            CHECK(!*r.as); // it executes
            as.state()["n"] = ++n;
        });
        r.run();
        CHECK(*r.as);
        r.say(std::to_string(futoin::any_cast<int&>(r.as->state()["n"])));
    }
    r.as->add([](IAsyncSteps& as) { as.error("Code"); });
    r.run();
    r.as->loop([&](IAsyncSteps& as) {
        r.say("loop");
        as.breakLoop();
    });
    r.run();
    EXPECT("1 2 3 unhandled Code loop");
}

CASE(left_from_outside)
{
    int turns = 0;

    r.as->loop(
        [&](IAsyncSteps& as) {
            as.add([&](IAsyncSteps& as) {
                as.setCancel([&](IAsyncSteps&) { r.say("hook"); });
                turns++;
                std::thread([&] {
                    if (turns < 3)
                        as.continueLoopNoThrow("L");
                    else
                        as.breakLoopNoThrow("L");
                }).join();
            });
            as.add([&](IAsyncSteps&) { r.say("never"); });
        },
        "L");
    r.as->add([&](IAsyncSteps&) { r.say("after"); });
    r.run();
    EXPECT("hook hook hook after");
}
