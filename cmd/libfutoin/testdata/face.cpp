// The face of face.hpp on the table. Usage: face NAME
#include "rig.h"

#include "face.hpp"

namespace {

ftngo_tool* tool;
FutoInAsyncSteps* root;

void run()
{
    root->api->execute(root, nullptr, [](FutoInAsyncSteps*, void*, const char* code) {
        say("unhandled");
        say(code);
    });
    CHECK(ftngo_run(tool, 20000) == 0);
}

struct Counted
{
    const char* name;
    ~Counted() { say(name); }
};

// B10: memory of a root, of a step, of a parallel one and of a hook's step.
void stack()
{
    Face as(root);

    as.stack<Counted>("~root");
    Face& p = as.parallel();
    p.stack<Counted>("~parallel");
    p.add([](Face& as) {
        as.stack<Counted>("~one");
        as.stack<Counted>("~two");
        say("branch");
    });
    as.add(
            [](Face& as) {
                as.setCancel([](Face& as) {
                    as.stack<Counted>("~hook");
                    say("hook");
                });
                as.setTimeout(1);
            },
            [](Face& as, const char*) { as.success(); });
    as.add([](Face&) { say("end"); });
    run();
    EXPECT("branch ~two ~one ~parallel hook ~hook end");
    root->api->free(root);
    EXPECT("branch ~two ~one ~parallel hook ~hook end ~root");
    root = ftngo_root_new(tool);
}

// B9, B10: who may not ask gets memory all the same, and is reported.
void stack_too_late()
{
    FutoInAsyncSteps* late = nullptr;
    Face as(root);

    as.add([&](Face& as) { late = as.bsi; });
    as.add(
            [&](Face&) {
                Face gone(late);
                gone.add([](Face&) { say("never"); });
            },
            [](Face& as, const char* code) {
                say(code);
                as.success();
            });
    run();
    EXPECT("InternalError");
}

// B11: reported, thrown, caught, and reported once more.
void errors_said_twice()
{
    Face as(root);

    as.add(
            [](Face& as) {
                as.add([](Face& as) { as.error("First"); },
                       [](Face& as, const char* code) {
                           say(code);
                           as.error("Second");
                       });
            },
            [](Face& as, const char* code) {
                auto* info = as.bsi->api->stateVariable(as.bsi, nullptr, "error_info", nullptr, nullptr);
                say(code);
                say(static_cast<const char*>(info)); // of the first report
                as.success();
            });
    as.add([](Face& as) {
        as.bsi->api->handle_error(as.bsi, "One", nullptr);
        as.bsi->api->handle_error(as.bsi, "Two", nullptr); // another word
    });
    run();
    EXPECT("First Second info unhandled InternalError");
}

void breaks_said_twice()
{
    Face as(root);
    int n = 0;

    as.loop(
            [&](Face& as) {
                as.loop([&](Face& as) {
                    if (++n == 1) {
                        as.continueLoop();
                    } else if (n == 2) {
                        as.continueLoop("OUTER");
                    }
                    say("third");
                    as.breakLoop("OUTER");
                });
            },
            "OUTER");
    as.loop([](Face& as) {
        as.bsi->api->breakLoop(as.bsi, nullptr);
        as.bsi->api->continueLoop(as.bsi, nullptr); // another word
    });
    run();
    EXPECT("third unhandled InternalError");
}

// B11: success and then break in a turn: the loop ends with the values.
void await()
{
    Face as(root);
    int left = 3;

    as.await([&](Face& as) {
        if (--left > 0) {
            return false;
        }
        as.success(42);
        return true;
    });
    as.add([](Face& as) { CHECK(as.given == 42); });
    as.loop([&](Face& as) {
        if (++left > 2) {
            as.breakLoop();
        }
        as.success(1);
        as.continueLoop();
    });
    as.add([](Face& as) { // no turn: success was enough
        as.success();
        as.breakLoop();
    });
    run();
    CHECK(left == 3);
    EXPECT("unhandled InternalError");
}

// B8: what a Handle of the API does with the handles of this engine.
void handles()
{
    auto count = [](void* n) { ++*static_cast<int*>(n); };
    const auto* api = root->api;
    int ran = 0;
    FutoInHandle soon = api->sched_immediate(root, &ran, count);
    FutoInHandle never = api->sched_deferred(root, 1, &ran, count);
    FutoInHandle later = api->sched_deferred(root, 2, &ran, count);

    CHECK(Reactor::valid(soon) && Reactor::valid(never) && Reactor::valid(later));
    FutoInHandle copy = never;
    Reactor::stop(never);
    CHECK(!Reactor::valid(never) && !Reactor::valid(copy));
    Reactor::stop(copy);
    CHECK(api->sched_is_valid(root, &later) == 1);
    CHECK(ftngo_run(tool, 20000) == 0);
    CHECK(ran == 2 && !Reactor::valid(soon) && !Reactor::valid(later));

    ftngo_tool* other = ftngo_tool_new(); // the handle outlives its loop
    auto* gone = ftngo_root_new(other);
    FutoInHandle left = api->sched_deferred(gone, 60000, &ran, count);
    CHECK(Reactor::valid(left));
    ftngo_root_free(other, gone);
    ftngo_tool_free(other);
    CHECK(!Reactor::valid(left));
    for (int i = 0; i < 1000; ++i) { // more than are remembered without a look
        FutoInHandle h = api->sched_immediate(root, &ran, count);
        if (i % 2) {
            Reactor::stop(h);
        }
    }
    Reactor::stop(left);
    CHECK(ftngo_run(tool, 20000) == 0 && ran == 502);
}

const struct
{
    const char* name;
    void (*f)();
} cases[] = {
        {"stack", stack},
        {"stack_too_late", stack_too_late},
        {"errors_said_twice", errors_said_twice},
        {"breaks_said_twice", breaks_said_twice},
        {"await", await},
        {"handles", handles},
};

} // namespace

int main(int argc, char** argv)
{
    int ran = 0;

    for (const auto& c : cases) {
        if (argc > 1 && strcmp(argv[1], c.name) != 0) {
            continue;
        }
        ++ran;
        trace[0] = 0;
        tool = ftngo_tool_new();
        root = ftngo_root_new(tool);
        c.f();
        ftngo_root_free(tool, root);
        ftngo_tool_free(tool);
        CHECK(ftngo_live() == 0);
    }
    CHECK(ran); // there is a case of that name
    return failures != 0;
}
