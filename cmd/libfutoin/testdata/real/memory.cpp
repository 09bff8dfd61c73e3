// Memory of steps, state and values of every size, and what comes from elsewhere.
#include "rig.hpp"

#include <cstring>
#include <future>

using namespace rig;

namespace {

struct Big
{
    char data[1 << 20];
};

struct alignas(16) Aligned
{
    char data[48];
};

} // namespace

CASE(stack_big)
{
    r.as->add(
        [&](IAsyncSteps& as) {
            as.stack<Said>(r, "1");
            auto& big = as.stack<Big>();
            std::memset(big.data, 7, sizeof big.data);
            for (int i = 0; i < 40; i++)
                std::memset(as.stack<Big>().data, i, sizeof big.data);
            as.stack<Said>(r, "2");
            CHECK(reinterpret_cast<uintptr_t>(&as.stack<Aligned>()) % 16 == 0);
            as.add([&, first = &big](IAsyncSteps& as) {
                as.stack<Said>(r, "3");
                CHECK(first->data[77] == 7);
            });
            as.add(
                [&](IAsyncSteps& as) {
                    as.stack<Said>(r, "4");
                    as.error("E");
                },
                [&](IAsyncSteps& as, ErrorCode) {
                    as.stack<Said>(r, "5");
                    r.say("h");
                });
        },
        [&](IAsyncSteps& as, ErrorCode) {
            as.stack<Said>(r, "6");
            r.say("H");
            as();
        });
    for (int i = 0; i < 3; i++)
        r.as->add([&](IAsyncSteps& as) {
            for (int k = 0; k < 1000; k++)
                as.stack<int>(k);
        });
    r.as->repeat(2, [&](IAsyncSteps& as, size_t i) { as.stack<Said>(r, "t" + std::to_string(i)); });
    r.as->add([&](IAsyncSteps&) { r.say("end"); });
    r.run();
    EXPECT("3 h 5 4 H 6 2 1 t0 t1 end");
}

CASE(state_everywhere)
{
    r.as->state()["n"] = 1;
    auto& p = r.as->parallel();
    p.state()["q"] = 5;
    for (int i = 0; i < 3; i++)
        p.add([&](IAsyncSteps& as) {
            as.state<int>("n")++;
            as.add([&](IAsyncSteps& as) { as.state<int>("n") += 10; });
        });
    r.as->add([&](IAsyncSteps& as) {
        r.say(std::to_string(as.state<int>("n")));
        CHECK(as.state<int>("q") == 5);
    });
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setCancel([&](IAsyncSteps& as) { r.say("hook" + std::to_string(as.state<int>("n"))); });
            as.setTimeout(std::chrono::milliseconds(1));
        },
        [&](IAsyncSteps& as, ErrorCode) {
            as.state()["n"] = std::string("text");
            as();
        });
    r.as->add([&](IAsyncSteps& as) {
        r.say(as.state<std::string>("n"));
        try {
            (void) as.state<int>("n");
            r.say("no");
        } catch (const std::exception&) {
            r.say("bad_cast");
        }
        auto child = as.newInstance();
        child->state()["n"] = 9;
        as.stack<Steps>(std::move(child)); // never executed
        as.state()["own"] = std::make_shared<Said>(r, "~own");
    });
    r.run();
    EXPECT("34 hook34 text bad_cast");
    CHECK(r.as->state<std::string>("n") == "text"); // until the root is freed
}

CASE(long_words)
{
    std::string code(5000, 'c'), info(100000, 'i');
    r.as->add(
        [&](IAsyncSteps&) {
            throw futoin::ExtError(std::string(5000, 'c').c_str(), futoin::string(100000, 'i'));
        },
        [&](IAsyncSteps& as, ErrorCode c) {
            CHECK(text(c) == code);
            auto& bsi = as.binary();
            auto* got = static_cast<const char*>(
                bsi.api->stateVariable(&bsi, nullptr, "error_info", nullptr, nullptr));
            CHECK(got && info == got);
            as(futoin::string(1 << 20, 'x'), std::vector<int>(1000, 5));
        });
    r.as->add([&](IAsyncSteps& as, futoin::string&& s, std::vector<int>&& v) {
        CHECK(s.size() == (1 << 20) && v.size() == 1000);
        r.say("ok");
        as(std::move(s));
    });
    r.as->add([&](IAsyncSteps&) { r.say("dropped"); });
    r.run();
    EXPECT("ok dropped");
}

CASE(instance_waits_for_instance)
{
    auto a = r.as->newInstance();
    auto b = r.as->newInstance();
    b->add([](IAsyncSteps& as) { as(7); });
    std::promise<int> done;
    auto f = std::make_shared<std::future<int>>();
    *f = b->promise<int>();
    a->add([&](IAsyncSteps& as) { as.await(std::move(*f)); });
    a->add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
    a->execute();
    r.drive();
    EXPECT("7");
}

CASE(await_limits)
{
    std::promise<int> never;
    r.as->add(
        [&](IAsyncSteps& as) {
            as.setTimeout(std::chrono::milliseconds(2));
            as.await(never.get_future());
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as();
        });
    std::promise<void> nothing, two;
    nothing.set_value();
    two.set_value();
    r.as->add([&](IAsyncSteps& as) {
        as.await(nothing.get_future());
        as.await(two.get_future());
        as.add([&](IAsyncSteps&) { r.say("both"); });
    });
    r.as->repeat(2, [&](IAsyncSteps& as, size_t) {
        std::promise<int> p;
        p.set_value(3);
        as.await(p.get_future());
        as.add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
    });
    r.run();
    EXPECT("Timeout both 3 3");
}

CASE(foreign_thread_words)
{
    r.as->add([&](IAsyncSteps& as) {
        as.waitExternal();
        auto* p = &as;
        std::thread([p] { (*p)(futoin::string("a"), 2); }).detach();
    });
    r.as->add(
        [&](IAsyncSteps& as, futoin::string&& s, int n) {
            r.say(s.c_str());
            r.say(std::to_string(n));
            as.setCancel([](IAsyncSteps&) {});
            auto* p = &as;
            std::thread([p] { p->errorNoThrow("FromThread", "info"); }).detach();
        },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as.add([](IAsyncSteps& as) {
                as.waitExternal();
                auto* p = &as;
                std::thread([p] { (*p)(1.5); }).join();
            });
        });
    r.as->add([&](IAsyncSteps&, double d) { r.say(std::to_string(int(2 * d))); });
    r.run();
    EXPECT("a 2 FromThread 3");
}

CASE(handler_that_only_waits)
{
    r.as->add(
        [](IAsyncSteps& as) { as.error("First"); },
        [&](IAsyncSteps& as, ErrorCode code) {
            r.say(text(code));
            as.waitExternal();
            auto* p = &as;
            std::thread([p] { (*p)(); }).join();
        });
    r.run();
    EXPECT("First unhandled First");
}
