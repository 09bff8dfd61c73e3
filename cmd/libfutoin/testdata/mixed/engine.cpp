#include <futoin/ri/asyncsteps.hpp>
#include <futoin/ri/limiter.hpp>

#include "engine.h"
extern "C" {
#include "_cgo_export.h"
}

#include "../real/reactor.hpp"

#include <atomic>
#include <map>
#include <chrono>
#include <string>

namespace ri = futoin::ri;
using futoin::ErrorCode;
using futoin::IAsyncSteps;

struct engine
{
    ri::AsyncTool tool;
};

engine* engine_new() { return new engine; }

void engine_free(engine* e) { delete e; }

// Guards. They have no public destructor but their own.

namespace {

struct Owned
{
    virtual ~Owned() = default;
    virtual FutoInSync* guard() = 0;
};

template<typename Guard>
struct Own : Owned
{
    template<typename... Args>
    explicit Own(FutoInAsyncSteps* on, Args&&... args) :
        reactor(new rig::Reactor(on)), held(*reactor, std::forward<Args>(args)...)
    {}
    FutoInSync* guard() override { return &held; }

    std::unique_ptr<rig::Reactor> reactor;
    Guard held;
};

struct OwnMutex : Owned
{
    OwnMutex(uint32_t max, uint32_t queue) : held(max, queue) {}
    FutoInSync* guard() override { return &held; }
    ri::Mutex held;
};

std::map<FutoInSync*, std::unique_ptr<Owned>> owned;

FutoInSync* keep(Owned* o)
{
    owned[o->guard()].reset(o);
    return o->guard();
}

std::atomic<int> inside, most;

} // namespace

FutoInSync* their_mutex(uint32_t max, uint32_t queue) { return keep(new OwnMutex(max, queue)); }

FutoInSync* their_throttle(FutoInAsyncSteps* on, uint32_t max, uint32_t period_ms)
{
    return keep(new Own<ri::Throttle>(on, max, std::chrono::milliseconds(period_ms)));
}

FutoInSync* their_limiter(FutoInAsyncSteps* on, uint32_t concurrent, uint32_t rate, uint32_t period_ms)
{
    ri::Limiter::Params p;
    p.concurrent = concurrent;
    p.max_queue = 100;
    p.rate = rate;
    p.period = std::chrono::milliseconds(period_ms);
    p.burst = 100;
    return keep(new Own<ri::Limiter>(on, p));
}

void their_free(FutoInSync* guard) { owned.erase(guard); }

int enters()
{
    int n = ++inside, old = most;
    while (n > old && !most.compare_exchange_weak(old, n)) {
    }
    return n;
}

void leaves() { --inside; }
int most_inside() { return most; }
void forget_inside() { most = 0; }

// Flows.

namespace {

struct Flow
{
    Flow(engine* e, uintptr_t told) : steps(e->tool), told(told)
    {
        steps.state().unhandled_error = [this](ErrorCode code) { end(code); };
    }

    void say(const std::string& text) { goTold(told, const_cast<char*>(text.c_str()), 0); }

    // The flow is over: it is given up when the engine has come out of it.
    void end(const char* code)
    {
        auto self = this;
        goTold(told, const_cast<char*>(code), 1);
        steps.tool().immediate([self]() { delete self; });
    }

    void start()
    {
        steps.add([this](IAsyncSteps&) { end(""); });
        steps.execute();
    }

    // Calls f on the thread of the engine, where its steps are made.
    template<typename F>
    static void make(engine* e, F f)
    {
        auto* kept = new F(std::move(f));
        e->tool.immediate([kept]() {
            (*kept)();
            delete kept;
        });
    }

    ri::AsyncSteps steps;
    uintptr_t told;
    FutoInSync* guard = nullptr;
};

void stays(FutoInAsyncSteps* bsi, void*, const FutoInArgs*)
{
    enters();
    bsi->api->waitExternal(bsi);
    bsi->api->sched_immediate(bsi, bsi, [](void* data) {
        auto* bsi = static_cast<FutoInAsyncSteps*>(data);
        FutoInArgs none{};
        leaves();
        bsi->api->success(bsi, &none);
    });
}

} // namespace

void contends(engine* e, FutoInSync* guard, int rounds, uintptr_t told)
{
    Flow::make(e, [=]() {
        auto* f = new Flow(e, told);

        f->guard = guard;
        f->steps.repeat(rounds, [f](IAsyncSteps& as, std::size_t) {
            auto& bsi = as.binary();
            bsi.api->addSync(&bsi, f->guard, nullptr, stays, nullptr);
        });
        f->start();
    });
}

void flows(engine* e, uintptr_t stages, uintptr_t told)
{
    Flow::make(e, [=]() {
        auto* f = new Flow(e, told);

        f->steps.add(
                [f, stages](IAsyncSteps& as) {
                    as.add([](IAsyncSteps& as) { as(int32_t{20}); });
                    goStages(&as.binary(), stages);
                    as.add([f](IAsyncSteps&, int32_t n) { f->say(std::to_string(n)); });
                },
                [f](IAsyncSteps& as, ErrorCode code) {
                    std::string text = code.operator const char*();
                    f->say(text + ": " + as.state().error_info.c_str());
                    as();
                });
        f->start();
    });
}

void cancels(engine* e, uintptr_t stages, uintptr_t told)
{
    Flow::make(e, [=]() {
        auto* f = new Flow(e, told);

        f->steps.add([stages](IAsyncSteps& as) { goStages(&as.binary(), stages); });
        f->steps.execute();
        f->steps.tool().deferred(std::chrono::milliseconds(100), [f]() { // the least that it takes
            f->steps.cancel();
            f->say("cancelled");
            f->end("");
        });
    });
}

void doubles(FutoInAsyncSteps* bsi, int32_t n)
{
    auto as = ri::wrap_binary_steps(*bsi);

    as->add([n](IAsyncSteps& as) { as(n); });
    as->add([](IAsyncSteps& as, int32_t n) {
        as.add([n](IAsyncSteps& as) { as(2 * n); });
    });
}

void fails(FutoInAsyncSteps* bsi)
{
    auto as = ri::wrap_binary_steps(*bsi);

    as->add([](IAsyncSteps&) { throw futoin::ExtError("OfCxx", "why"); });
}
