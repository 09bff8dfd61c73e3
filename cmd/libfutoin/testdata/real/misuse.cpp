// What a program shouldn't do and does. None of it crashes, and a violation is an error
// of the step whose code commits it, whatever pointer it uses.
#include "rig.hpp"

#include <futoin/ri/mutex.hpp>

#include <functional>

using namespace rig;
namespace ri = futoin::ri;

CASE(deep_instances)
{
    std::function<void(IAsyncSteps&, int)> go = [&](IAsyncSteps& as, int n) {
        if (n == 0) {
            r.say("bottom");
            return;
        }
        auto& child = as.stack<Steps>(as.newInstance());
        child->add([&go, n](IAsyncSteps& as) { go(as, n - 1); });
        child->execute();
        as.waitExternal();
        child->add([](IAsyncSteps&) {}); // it is executing
    };
    r.as->add([&](IAsyncSteps& as) { go(as, 30); },
              [&](IAsyncSteps& as, ErrorCode code) {
                  r.say(text(code));
                  as();
              });
    r.run();
    EXPECT("InternalError");
}

CASE(frees_itself)
{
    Steps child = r.as->newInstance();
    child->add([&](IAsyncSteps& as) {
        as.stack<std::shared_ptr<int>>(new int(1), [&r](int* p) {
            delete p;
            r.say("~stack");
        });
        child.reset();
        r.say("after");
        as.add([&](IAsyncSteps&) { r.say("never"); });
    });
    child->execute();
    r.drive();
    EXPECT("after ~stack");
}

CASE(late_pointers)
{
    FutoInAsyncSteps* raw = nullptr;
    r.as->add([&](IAsyncSteps& as) {
        raw = &as.binary();
        as.parallel().add([&](IAsyncSteps&) { r.say("b"); });
    });
    r.as->add(
        [&](IAsyncSteps&) {
            CHECK(!raw->api->isValid(raw));
            auto w = Rig::wrap(raw);
            CHECK(!*w);
            w->add([&](IAsyncSteps&) { r.say("never"); });
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.as->add(
        [&](IAsyncSteps&) {
            auto w = Rig::wrap(raw);
            w->success();
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.as->add(
        [&](IAsyncSteps&) {
            auto w = Rig::wrap(raw);
            w->setTimeout(std::chrono::milliseconds(1));
            w->setCancel([](IAsyncSteps&) {});
            w->waitExternal();
            w->loop([](IAsyncSteps&) {});
            w->parallel().add([](IAsyncSteps&) {});
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.as->add(
        [&](IAsyncSteps&) {
            auto w = Rig::wrap(raw);
            w->state()["x"] = 1;
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.run();
    EXPECT("b InternalError InternalError InternalError InternalError");
}

CASE(execute_twice)
{
    r.as->add([&](IAsyncSteps&) { r.say("once"); });
    r.as->state().unhandled_error = [&](ErrorCode code) { r.say(text(code)); };
    r.as->execute();
    r.as->execute();
    r.drive();
    r.as->add([&](IAsyncSteps&) { r.say("late"); });
    r.as->execute();
    r.drive();
    EXPECT("InternalError once late");
}

CASE(release_loop_first)
{
    ftngo_tool* t = ftngo_tool_new();
    FutoInAsyncSteps* root = ftngo_root_new(t);
    auto as = Rig::wrap(root);
    as->add([&](IAsyncSteps& as) {
        as.stack<Said>(r, "~s");
        as.setCancel([&](IAsyncSteps&) { r.say("hook"); });
    });
    as->execute();
    ftngo_iterate(t);
    ftngo_tool_free(t);
    as.reset();
    EXPECT("hook ~s");
    auto late = Rig::wrap(root);
    late->execute();
    late->cancel();
    auto n = root->api->newInstance(root);
    n->api->execute(n, &r,
                    [](FutoInAsyncSteps*, void* d, const char* code) { static_cast<Rig*>(d)->say(code); });
    n->api->free(n);
    ftngo_root_free(0, root);
    EXPECT("hook ~s InternalError");
}

CASE(parallel_odd)
{
    ri::Mutex mutex;
    r.as->parallel();
    r.as->add([&](IAsyncSteps& as) {
        as.parallel();
        as.parallel();
    });
    r.as->add([&](IAsyncSteps& as) {
        auto& p = as.parallel();
        p.add(
            [&](IAsyncSteps& as) {
                auto& q = as.parallel();
                q.add([&](IAsyncSteps& as) { as.error("Deep"); });
                q.add([&](IAsyncSteps& as) { as.waitExternal(); });
            },
            [&](IAsyncSteps& as, ErrorCode code) {
                r.say(text(code));
                as();
            });
        p.loop([&](IAsyncSteps& as) { as.breakLoop(); });
        p.forEach(std::vector<int>{1, 2}, [&](IAsyncSteps&, size_t, int n) { r.say(std::to_string(n)); });
        p.sync(mutex, [&](IAsyncSteps&) { r.say("s"); });
    });
    r.as->repeat(2, [&](IAsyncSteps& as, size_t) {
        auto& p = as.parallel();
        for (int i = 0; i < 100; i++)
            p.add([&](IAsyncSteps&) {});
    });
    r.as->add([&](IAsyncSteps& as) {
        auto& p = as.parallel();
        auto& q = p.parallel(); // the C++ engine ends the process
        q.add([&](IAsyncSteps&) { r.say("q"); });
        p.add([&](IAsyncSteps&) { r.say("p"); });
    });
    r.run();
    r.sort();
    EXPECT("1 2 Deep p q s");
}

CASE(timeouts_odd)
{
    auto caught = [&](IAsyncSteps& as, ErrorCode code) {
        r.say(text(code));
        as();
    };
    r.as->add([&](IAsyncSteps& as) { as.setTimeout(std::chrono::milliseconds(0)); }, caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setTimeout(std::chrono::milliseconds(1));
            as.setTimeout(std::chrono::hours(20));
            as.setTimeout(std::chrono::milliseconds(2));
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setTimeout(std::chrono::milliseconds(1));
            as();
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps&) { r.say("one"); });
            as.setCancel([&](IAsyncSteps&) { r.say("two"); });
            as.setTimeout(std::chrono::milliseconds(1));
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setTimeout(std::chrono::milliseconds(1));
            as.add([](IAsyncSteps& as) { as.waitExternal(); },
                   [&](IAsyncSteps&, ErrorCode) { r.say("inner"); });
        },
        caught);
    r.run();
    EXPECT("InvalidRequest Timeout two Timeout Timeout");
}

CASE(loop_words_elsewhere)
{
    ri::Mutex m;
    r.as->loop([&](IAsyncSteps& as) { // break in a handler
        as.add([](IAsyncSteps& as) { as.error("E"); },
               [&](IAsyncSteps& as, ErrorCode) {
                   r.say("h");
                   as.breakLoop();
               });
    });
    int n = 0;
    r.as->loop(
        [&](IAsyncSteps& as) { // out of a branch
            if (++n == 3)
                as.breakLoop();
            auto& p = as.parallel([&](IAsyncSteps&, ErrorCode) { r.say("never"); });
            p.add([&](IAsyncSteps& as) { as.setCancel([&](IAsyncSteps&) { r.say("x"); }); });
            p.add([&](IAsyncSteps& as) { as.continueLoop("L"); });
        },
        "L");
    r.as->loop(
        [&](IAsyncSteps& as) { // out of a section
            as.sync(m, [&](IAsyncSteps& as) {
                as.repeat(
                    3, [&](IAsyncSteps& as, size_t) { as.breakLoop("OUT"); }, "IN");
            });
        },
        "OUT");
    r.as->add([&](IAsyncSteps& as) { as.sync(m, [&](IAsyncSteps&) { r.say("free"); }); });
    r.as->loop(
        [&](IAsyncSteps& as) { // unknown
            as.breakLoop("NOWHERE");
        },
        "HERE");
    r.run();
    EXPECT("h x x free unhandled InternalError");
}

CASE(label_of_a_temporary)
{
    r.as->loop([&](IAsyncSteps& as) {
        std::string name = std::string("L") + "ABEL";
        as.loop(
            [&](IAsyncSteps& as) {
                std::string n2("LABEL");
                as.breakLoopNoThrow(n2.c_str());
            },
            name.c_str());
        as.add([&](IAsyncSteps& as) {
            r.say("out");
            as.breakLoop();
        });
    });
    r.run();
    EXPECT("out");
}
