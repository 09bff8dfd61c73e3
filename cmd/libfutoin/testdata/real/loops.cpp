// Loops of every kind, await, and the handles of scheduled callbacks.
#include "rig.hpp"

#include <future>
#include <map>

using namespace rig;

CASE(loop)
{
    int n = 0;
    r.as->loop([&](IAsyncSteps& as) {
        if (++n == 3) {
            as.breakLoop();
        }
        if (n == 1) {
            as.continueLoop();
        }
        as.add([&](IAsyncSteps&) { r.say(std::to_string(n)); });
    });
    r.as->add([&](IAsyncSteps&) { r.say("end"); });
    r.run();
    EXPECT("2 end");
}

CASE(labels)
{
    r.as->loop([&](IAsyncSteps& as) {
        as.repeat(5, [&](IAsyncSteps& as, size_t i) {
            r.say(std::to_string(i));
            as.loop([i](IAsyncSteps& as) {
                if (i == 2) {
                    as.breakLoop("OUTER");
                }
                as.continueLoop("MIDDLE");
            });
        }, "MIDDLE");
    }, "OUTER");
    r.run();
    EXPECT("0 1 2");
}

CASE(quiet_break)
{
    r.as->repeat(5, [&](IAsyncSteps& as, size_t i) {
        r.say(std::to_string(i));
        if (i == 1) {
            as.breakLoopNoThrow();
            return;
        }
        as.continueLoopNoThrow();
    });
    r.run();
    EXPECT("0 1");
}

CASE(repeat_none)
{
    r.as->repeat(0, [&](IAsyncSteps&, size_t) { r.say("never"); });
    r.as->repeat(2, [&](IAsyncSteps& as, size_t i) {
        as.stack<std::string>("of the turn");
        as.add([&r, i](IAsyncSteps&) { r.say(std::to_string(i)); });
    });
    r.run();
    EXPECT("0 1");
}

CASE(for_each)
{
    std::vector<int> numbers{1, 2, 3};
    std::map<std::string, int> map{{"a", 1}, {"b", 2}};

    r.as->forEach(std::ref(numbers), [&](IAsyncSteps&, size_t i, int n) { r.say(std::to_string(i * 10 + n)); });
    r.as->forEach(std::vector<std::string>{"x", "y"}, [&](IAsyncSteps&, size_t, const std::string& s) { r.say(s); });
    r.as->forEach(std::ref(map), [&](IAsyncSteps& as, const std::string& key, int) {
        as.add([&r, name = &key](IAsyncSteps&) { r.say(*name); });
    });
    r.as->add([&](IAsyncSteps& as) {
        as.forEach(std::map<std::string, int>{{"c", 3}}, [&](IAsyncSteps&, const std::string& key, int) { r.say(key); });
    });
    r.run();
    EXPECT("1 12 23 x y a b c");
}

CASE(error_leaves_loops)
{
    r.as->add([&](IAsyncSteps& as) {
        as.loop([&](IAsyncSteps& as) {
            as.repeat(3, [&](IAsyncSteps& as, size_t) { as.error("Out"); });
        });
    }, [&](IAsyncSteps& as, ErrorCode code) { r.say(code.operator const char*()); as(); });
    r.run();
    EXPECT("Out");
}

CASE(break_outside)
{
    r.as->add([](IAsyncSteps& as) { as.breakLoop(); });
    r.run();
    EXPECT("unhandled InternalError");
}

// B11: success, then break, in one turn: the values stay.
CASE(await)
{
    std::promise<int> later;
    std::promise<void> nothing;
    std::promise<int> broken;

    nothing.set_value();
    r.as->add([&](IAsyncSteps& as) { as.await(nothing.get_future()); });
    r.as->await(later.get_future());
    r.as->add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
    r.as->add([&](IAsyncSteps& as) { as.await(broken.get_future()); },
              [&](IAsyncSteps& as, ErrorCode code) { r.say(code.operator const char*()); as(); });
    std::thread sets([&] {
        later.set_value(42);
        broken.set_exception(std::make_exception_ptr(futoin::Error("Broken")));
    });
    r.run();
    sets.join();
    EXPECT("42 Broken");
}

// B11: in a loop the later word decides; elsewhere it is one too many.
CASE(success_then_break)
{
    r.as->loop([&](IAsyncSteps& as) { as(1); as.breakLoop(); });
    r.as->add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
    r.as->repeat(2, [&](IAsyncSteps& as, size_t i) {
        r.say("turn");
        as(static_cast<int>(i));
        as.continueLoop();
    });
    r.as->loop([](IAsyncSteps& as) {
        as.add([](IAsyncSteps& as) { as(); as.breakLoop(); });
    });
    r.run();
    EXPECT("1 turn turn unhandled InternalError");
}
// B8: the Handle of the API asks and cancels what this engine has scheduled.
CASE(handles)
{
    using Handle = futoin::IAsyncTool::Handle;
    auto count = [](void* n) { ++*static_cast<int*>(n); };
    int ran = 0;
    auto* bsi = r.root;

    Handle soon = bsi->api->sched_immediate(bsi, &ran, count);
    Handle never = bsi->api->sched_deferred(bsi, 1, &ran, count);
    Handle later = bsi->api->sched_deferred(bsi, 2, &ran, count);
    Handle none;
    CHECK(bool(soon) && bool(never) && bool(later) && !none);
    never.cancel();
    CHECK(!never);
    never.cancel();
    auto raw = later.binary();
    CHECK(bsi->api->sched_is_valid(bsi, &raw) == 1);
    r.drive();
    CHECK(ran == 2 && !soon && !later);
    later.cancel();

    ftngo_tool* other = ftngo_tool_new(); // it outlives its loop
    auto* root = ftngo_root_new(other);
    Handle left = root->api->sched_deferred(root, 60000, &ran, count);
    CHECK(bool(left));
    ftngo_root_free(other, root);
    ftngo_tool_free(other);
    CHECK(!left);
    left.cancel();
}
