// Steps, values, errors, state, waits and instances, as a C++ programmer writes them.
#include "rig.hpp"

#include <atomic>

using namespace rig;
using futoin::errors::InternalError;

CASE(levels)
{
    r.as->add([&](IAsyncSteps& as) {
        r.say("a");
        as.add([&](IAsyncSteps&) { r.say("a1"); });
        as.add([&](IAsyncSteps& as) {
            r.say("a2");
            as.add([&](IAsyncSteps&) { r.say("a21"); });
        });
    });
    r.as->add([&](IAsyncSteps&) { r.say("b"); });
    r.run();
    EXPECT("a a1 a2 a21 b");
}

CASE(results)
{
    r.as->add([](IAsyncSteps& as) { as(123, true, "text", 1.5); });
    r.as->add([&](IAsyncSteps& as, int a, bool b, futoin::string&& c, double d) {
        CHECK(a == 123 && b && c == "text" && d == 1.5);
        as.success(std::move(c));
    });
    r.as->add([&](IAsyncSteps& as, futoin::string&& c) {
        r.say(c.c_str());
        as(std::vector<std::string>{"of", "C++"}); // an object of their own
    });
    r.as->add([&](IAsyncSteps& as, std::vector<std::string>&& words) {
        r.say(words[0]);
        r.say(words[1]);
        as.success(futoin::u16string(u"16"), futoin::u32string(U"32"), int64_t{-64}, uint8_t{8});
    });
    r.as->add([&](IAsyncSteps&, futoin::u16string&& a, futoin::u32string&& b, int64_t c, uint8_t d) {
        CHECK(a == u"16" && b == U"32" && c == -64 && d == 8);
        r.say("all");
    });
    r.run();
    EXPECT("text of C++ all");
}

CASE(wrong_type_is_an_error)
{
    r.as->add([](IAsyncSteps& as) { as(1); },
              [&](IAsyncSteps&, ErrorCode) { r.say("never"); });
    r.as->add([&](IAsyncSteps&, double) { r.say("never"); },
              [&](IAsyncSteps& as, ErrorCode) { r.say("caught"); as(); });
    r.run();
    EXPECT("caught");
}

CASE(errors)
{
    r.as->add(
            [&](IAsyncSteps& as) {
                as.add([&](IAsyncSteps& as) { as.error("First", "why"); },
                       [&](IAsyncSteps&, ErrorCode code) { r.say(code.operator const char*()); });
                as.add([&](IAsyncSteps&) { r.say("never"); });
            },
            [&](IAsyncSteps& as, ErrorCode code) {
                CHECK(code == "First");
                as.error("Second");
            });
    r.run();
    EXPECT("First unhandled Second");
}

CASE(error_info_reaches_the_table)
{
    r.as->add(
            [&](IAsyncSteps& as) { as.error("Mine", "info"); },
            [&](IAsyncSteps& as, ErrorCode) {
                auto& bsi = as.binary();
                auto* info = bsi.api->stateVariable(&bsi, nullptr, "error_info", nullptr, nullptr);
                r.say(static_cast<const char*>(info));
                as();
            });
    r.run();
    EXPECT("info");
}

CASE(exceptions)
{
    r.as->add([](IAsyncSteps&) { throw std::runtime_error("thrown"); },
              [&](IAsyncSteps& as, ErrorCode code) {
                  r.say(code.operator const char*());
                  as();
              });
    r.as->add([](IAsyncSteps&) { throw futoin::ExtError("Extended", "info"); },
              [&](IAsyncSteps&, ErrorCode code) {
                  r.say(code.operator const char*());
                  throw futoin::Error("Other");
              });
    r.run();
    EXPECT("thrown Extended unhandled Other");
}

CASE(error_without_throw)
{
    r.as->add([](IAsyncSteps& as) { as.errorNoThrow("Quiet", "info"); },
              [&](IAsyncSteps& as, ErrorCode code) {
                  r.say(code.operator const char*());
                  as();
              });
    r.run();
    EXPECT("Quiet");
}

// B11: another word than the first one is a violation all the same.
CASE(two_errors)
{
    r.as->add([](IAsyncSteps& as) {
        try {
            as.error("One");
        } catch (const futoin::Error&) {
            as.error("Two");
        }
    });
    r.run();
    EXPECT(std::string("unhandled ") + InternalError);
}

CASE(steps_in_handler)
{
    r.as->add([](IAsyncSteps& as) { as.error("First"); },
              [&](IAsyncSteps& as, ErrorCode) {
                  as.add([&](IAsyncSteps& as) { r.say("again"); as(7); });
              });
    r.as->add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
    r.run();
    EXPECT("again 7");
}

CASE(state)
{
    r.as->state()["early"] = std::string("of the root");
    r.as->add([&](IAsyncSteps& as) {
        r.say(as.state<std::string>("early"));
        as.state<int>("count", 40) += 2;
        as.add([&](IAsyncSteps& as) { r.say(std::to_string(as.state<int>("count"))); });
    });
    r.run();
    EXPECT("of the root 42");
}

struct Counted
{
    explicit Counted(Rig& r, const char* name) : r(r), name(name) {}
    ~Counted() { r.say(name); }
    Rig& r;
    const char* name;
};

// B10: memory of a root, of a step, of a parallel one, of a hook's step.
CASE(stack)
{
    auto* in_root = &r.as->stack<Counted>(r, "~root");
    CHECK(in_root != nullptr);
    auto& p = r.as->parallel();
    p.stack<Counted>(r, "~parallel");
    p.add([&](IAsyncSteps& as) {
        as.stack<Counted>(r, "~one");
        as.stack<Counted>(r, "~two");
        r.say("branch");
    });
    r.as->add(
            [&](IAsyncSteps& as) {
                as.setCancel([&](IAsyncSteps& as) {
                    as.stack<Counted>(r, "~hook");
                    r.say("hook");
                });
                as.setTimeout(std::chrono::milliseconds(1));
            },
            [&](IAsyncSteps& as, ErrorCode) { as(); });
    r.as->add([&](IAsyncSteps&) { r.say("end"); });
    r.run();
    EXPECT("branch ~two ~one ~parallel hook ~hook end");
    r.root->api->free(r.root);
    r.root = ftngo_root_new(r.tool);
    EXPECT("branch ~two ~one ~parallel hook ~hook end ~root");
    r.as = Rig::wrap(r.root);
}

CASE(parallel)
{
    auto& p = r.as->parallel([&](IAsyncSteps& as, ErrorCode code) {
        r.say(code.operator const char*());
        as();
    });
    p.add([&](IAsyncSteps& as) {
        r.say("a");
        as.add([&](IAsyncSteps&) { r.say("a1"); });
        as.add([&](IAsyncSteps& as) { as.setCancel([&](IAsyncSteps&) { r.say("hook"); }); });
    });
    p.add([&](IAsyncSteps& as) {
        r.say("b");
        as.add([&](IAsyncSteps& as) { as.setTimeout(std::chrono::milliseconds(2)); });
    });
    p.repeat(2, [&](IAsyncSteps&, size_t i) { r.say(std::to_string(i)); });
    r.as->add([&](IAsyncSteps& as) {
        auto& p = as.parallel();
        p.add([&](IAsyncSteps& as) { as(1); });
        p.add([&](IAsyncSteps&) { r.say("inner"); });
    });
    r.run();
    EXPECT("a a1 b 0 1 hook Timeout inner");
}

CASE(waits)
{
    r.as->add([&](IAsyncSteps& as) {
        as.waitExternal();
        std::thread([&as] { as(std::string("thread")); }).join(); // before the body returns
    });
    r.as->add([&](IAsyncSteps& as, std::string&& s) {
        r.say(s);
        as.waitExternal();
        std::thread([&as] {
            std::this_thread::yield();
            try {
                as.error("Late");
            } catch (const futoin::Error&) {
            }
        }).detach();
    }, [&](IAsyncSteps& as, ErrorCode code) { r.say(code.operator const char*()); as(); });
    r.as->add([&](IAsyncSteps& as) {
        as.setTimeout(std::chrono::milliseconds(1));
        as.add([](IAsyncSteps& as) { as.waitExternal(); });
    }, [&](IAsyncSteps& as, ErrorCode code) { r.say(code.operator const char*()); as(); });
    r.run();
    EXPECT("thread Late Timeout");
}

CASE(cancel)
{
    r.as->add([&](IAsyncSteps& as) {
        as.setCancel([&](IAsyncSteps&) { r.say("hook"); });
        r.as->cancel();
    }, [&](IAsyncSteps&, ErrorCode) { r.say("never"); });
    r.run();
    EXPECT("hook");
}

CASE(instances)
{
    Steps child;
    r.as->add([&](IAsyncSteps& as) {
        child = as.newInstance();
        CHECK(child->sync_root_id() != as.sync_root_id() && bool(*child) && bool(as));
        child->add([&](IAsyncSteps&) { r.say("child"); });
        child->execute();
        auto never = as.newInstance(); // given up
        never->add([&](IAsyncSteps&) { r.say("never"); });
        r.say("parent");
    });
    r.run();
    EXPECT("parent child");
    child.reset();

    child = r.as->newInstance();
    child->add([&](IAsyncSteps& as) { as.setCancel([&](IAsyncSteps&) { r.say("freed"); }); });
    child->execute();
    ftngo_iterate(r.tool);
    child.reset(); // a run that is executing
    r.drive();
    EXPECT("parent child freed");
}

CASE(promise)
{
    r.as->add([](IAsyncSteps& as) { as(42); });
    auto future = r.as->promise<int>();
    r.drive();
    CHECK(future.get() == 42);

    auto fails = r.as->newInstance();
    fails->add([](IAsyncSteps& as) { as.error("Mine"); });
    auto failed = fails->promise();
    r.drive();
    try {
        failed.get();
        CHECK(false);
    } catch (const futoin::Error& e) {
        r.say(e.what());
    }
    EXPECT("Mine");
}
