// Exceptions and cancels in every place where a callback runs.
#include "rig.hpp"

#include <futoin/ri/mutex.hpp>

#include <atomic>

using namespace rig;
namespace ri = futoin::ri;

CASE(hook_throws)
{
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps&) {
                r.say("hook");
                throw futoin::Error("InHook");
            });
            as.setTimeout(std::chrono::milliseconds(1));
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.as->add([&](IAsyncSteps&) { r.say("next"); });
    r.run();
    EXPECT("hook Timeout next");
}

CASE(hook_throws_on_cancel)
{
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps&) { r.say("outer"); });
            as.add([&](IAsyncSteps& as) {
                as.setCancel([&](IAsyncSteps& as) {
                    r.say("inner");
                    as.error("InHook");
                });
                r.as->cancel();
            });
        },
        [&](IAsyncSteps&, ErrorCode) { r.say("never"); });
    r.run();
    EXPECT("inner outer");
}

CASE(throws_everywhere)
{
    ri::Mutex m;
    auto caught = [&](IAsyncSteps& as, ErrorCode code) {
        r.say(text(code));
        as();
    };
    r.as->add([&](IAsyncSteps& as) { as.loop([&](IAsyncSteps&) { throw std::runtime_error("Loop"); }); },
              caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.repeat(3, [&](IAsyncSteps&, size_t) { throw futoin::ExtError("Repeat", "i"); });
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.forEach(std::vector<int>{1}, [&](IAsyncSteps&, size_t, int) { throw futoin::Error("Each"); });
        },
        caught);
    r.as->add([&](IAsyncSteps& as) { as.sync(m, [&](IAsyncSteps&) { throw futoin::Error("Sync"); }); },
              caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.sync(
                m, [&](IAsyncSteps&) { throw futoin::Error("Sync"); },
                [&](IAsyncSteps&, ErrorCode) { throw futoin::Error("SyncHandler"); });
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            auto& p = as.parallel([&](IAsyncSteps&, ErrorCode code) {
                r.say(text(code));
                throw futoin::Error("ParHandler");
            });
            p.add([](IAsyncSteps&) { throw futoin::Error("Branch"); });
            p.add([](IAsyncSteps& as) { as.waitExternal(); });
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as.add([](IAsyncSteps&) {});
            throw futoin::Error("AfterAdd");
        },
        caught);
    r.as->add(
        [&](IAsyncSteps& as) {
            as(1);
            throw futoin::Error("AfterSuccess");
        },
        caught);
    r.run();
    EXPECT("Loop Repeat Each Sync SyncHandler Branch ParHandler InternalError InternalError");
}

CASE(handler_twice_and_steps)
{
    r.as->add([&](IAsyncSteps& as) { as.error("A"); },
              [&](IAsyncSteps& as, ErrorCode code) {
                  r.say(text(code));
                  as.add([&](IAsyncSteps& as) { as.error("B"); },
                         [&](IAsyncSteps&, ErrorCode code) { r.say("sub" + text(code)); });
              });
    r.as->state().unhandled_error = [&](ErrorCode code) {
        r.say("unhandled");
        r.say(text(code));
    };
    r.as->execute();
    r.drive();
    EXPECT("A subB unhandled B");
}

CASE(cancel_in_handler)
{
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps&) { r.say("hook"); });
            as.add([](IAsyncSteps& as) { as.error("E"); },
                   [&](IAsyncSteps&, ErrorCode) {
                       r.say("handler");
                       r.as->cancel();
                   });
        },
        [&](IAsyncSteps&, ErrorCode) { r.say("never"); });
    r.run();
    r.say("end");
    EXPECT("handler hook end");
}

CASE(cancel_in_hook)
{
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps&) {
                r.say("hook");
                r.as->cancel();
            });
            as.setTimeout(std::chrono::milliseconds(1));
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    r.as->add([&](IAsyncSteps&) { r.say("next"); });
    r.run();
    EXPECT("hook");
}

CASE(cancel_in_loop_branch_section)
{
    ri::Mutex m;
    r.as->loop([&](IAsyncSteps& as) {
        as.stack<std::shared_ptr<int>>(new int(1), [&r](int* p) {
            delete p;
            r.say("~loop");
        });
        auto& p = as.parallel();
        p.add([&](IAsyncSteps& as) { as.setCancel([&](IAsyncSteps&) { r.say("branch"); }); });
        p.add([&](IAsyncSteps& as) {
            as.sync(m, [&](IAsyncSteps& as) {
                as.setCancel([&](IAsyncSteps&) { r.say("section"); });
                r.as->cancel();
            });
        });
    });
    r.run();
    EXPECT("branch section ~loop");
    auto again = r.as->newInstance();
    again->add([&](IAsyncSteps& as) { as.sync(m, [&](IAsyncSteps&) { r.say("free"); }); });
    again->execute();
    r.drive();
    EXPECT("branch section ~loop free");
}

CASE(cancel_before_and_after)
{
    auto a = r.as->newInstance();
    a->add([&](IAsyncSteps&) { r.say("ran"); });
    a->cancel();
    a->execute();
    r.drive();
    a->cancel();
    a->cancel();
    r.drive();
    EXPECT("ran");
    auto b = r.as->newInstance();
    b->add([&](IAsyncSteps&) { r.say("never"); });
    b->execute();
    b->cancel();
    r.drive();
}

CASE(cancel_in_unhandled)
{
    auto a = r.as->newInstance();
    a->add([&](IAsyncSteps& as) { as.error("E"); });
    a->state().unhandled_error = [&](ErrorCode code) {
        r.say(text(code));
        a->cancel();
    };
    a->execute();
    r.drive();
    EXPECT("E");
    auto b = r.as->newInstance();
    b->add([&](IAsyncSteps& as) { as.error("F"); });
    b->state().unhandled_error = [&](ErrorCode code) { r.say(text(code)); };
    b->execute();
    r.drive();
    EXPECT("E F");
}

CASE(sync_cancelled_in_queue)
{
    ri::Mutex m(1, 100);
    Steps holder = r.as->newInstance(), waits[3];
    holder->add(
        [&](IAsyncSteps& as) {
            as.sync(m, [&](IAsyncSteps& as) { as.setTimeout(std::chrono::milliseconds(20)); });
        },
        [&](IAsyncSteps& as, ErrorCode) {
            r.say("released");
            as();
        });
    holder->execute();
    for (auto& w : waits) {
        w = r.as->newInstance();
        int i = int(&w - waits);
        w->add(
            [&, i](IAsyncSteps& as) {
                if (i == 0)
                    as.setTimeout(std::chrono::milliseconds(5));
                as.sync(
                    m, [&, i](IAsyncSteps&) { r.say("in" + std::to_string(i)); },
                    [&](IAsyncSteps&, ErrorCode) { r.say("never"); });
            },
            [&, i](IAsyncSteps& as, ErrorCode code) {
                r.say(std::to_string(i) + text(code));
                as();
            });
        w->execute();
    }
    r.as->add([&](IAsyncSteps& as) { as.add([&](IAsyncSteps&) { waits[1]->cancel(); }); });
    r.run();
    EXPECT("0Timeout released in2");
}

CASE(two_threads_errors)
{
    ri::Mutex theirs(1, 1000);
    std::atomic<int> in{0}, bad{0};
    auto thread = [&] {
        Rig own;
        auto& p = own.as->parallel();
        for (int k = 0; k < 3; k++)
            p.repeat(100, [&](IAsyncSteps& as, size_t i) {
                as.sync(
                    theirs,
                    [&, i](IAsyncSteps& as) {
                        if (++in != 1)
                            bad++;
                        as.sync(theirs, [&](IAsyncSteps&) {
                            if (in != 1)
                                bad++;
                        });
                        as.add([&, i](IAsyncSteps& as) {
                            --in;
                            if (i % 7 == 0)
                                as.error("Out");
                        });
                    },
                    [&](IAsyncSteps& as, ErrorCode) { as(); });
            });
        own.run();
        CHECK(own.trace.empty());
    };
    std::thread a(thread), b(thread);
    a.join();
    b.join();
    CHECK(bad == 0 && in == 0);
}
