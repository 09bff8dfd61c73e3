// Guards of both sides in flows of C++ on our table.
#include "rig.hpp"

#include <futoin/ri/limiter.hpp>

using namespace rig;
namespace ri = futoin::ri;

namespace {

// A FutoInSync of this engine, for code that wants the class of the API.
class Ours : public futoin::ISync
{
public:
    explicit Ours(FutoInSync* guard) : guard(guard) {}
    ~Ours() noexcept override { ftngo_sync_free(guard); }

    void lock(IAsyncSteps&) override {}
    void unlock(IAsyncSteps&) noexcept override {}

    FutoInSync* guard;
};

// Flows that enter a guard by the table, stay for a turn, and count.
struct Crowd
{
    Crowd(Rig& r, FutoInSync* guard) : r(r), guard(guard) {}

    void enter(IAsyncSteps& as, int flows, int rounds)
    {
        auto& p = as.parallel([&](IAsyncSteps&, ErrorCode code) { r.say(code.operator const char*()); });
        for (int i = 0; i < flows; ++i) {
            p.repeat(rounds, [this](IAsyncSteps& as, size_t) {
                auto& bsi = as.binary();
                bsi.api->addSync(&bsi, guard, this, section, nullptr);
            });
        }
    }

    static void section(FutoInAsyncSteps* bsi, void* data, const FutoInArgs*)
    {
        auto* self = static_cast<Crowd*>(data);
        self->entries++;
        self->most = std::max(self->most, ++self->inside);
        auto* stay = new Stay{self, bsi};
        bsi->api->setCancel(bsi, stay, [](FutoInAsyncSteps*, void* data) {
            static_cast<Stay*>(data)->bsi = nullptr;
        });
        bsi->api->sched_immediate(bsi, stay, [](void* data) {
            std::unique_ptr<Stay> stay(static_cast<Stay*>(data));
            FutoInArgs none{};
            --stay->crowd->inside;
            if (stay->bsi) {
                stay->bsi->api->success(stay->bsi, &none);
            }
        });
    }

    struct Stay
    {
        Crowd* crowd;
        FutoInAsyncSteps* bsi; /* NULL: cancelled */
    };

    Rig& r;
    FutoInSync* guard;
    int inside = 0, most = 0, entries = 0;
};

void contended(Rig& r, FutoInSync* guard, int most)
{
    Crowd crowd(r, guard);

    r.as->add([&](IAsyncSteps& as) { crowd.enter(as, 5, 10); });
    r.run();
    EXPECT("");
    CHECK(crowd.entries == 50 && crowd.inside == 0 && crowd.most <= most);
}

} // namespace

CASE(our_mutex) { contended(r, Ours(ftngo_mutex_new(2, -1)).guard, 2); }
CASE(our_throttle) { contended(r, Ours(ftngo_throttle_new(20, 1, -1)).guard, 50); }
CASE(our_limiter) { contended(r, Ours(ftngo_limiter_new(1, -1, 20, 1, -1)).guard, 1); }

CASE(our_full_queue)
{
    Ours mutex(ftngo_mutex_new(1, 1));
    Crowd crowd(r, mutex.guard);

    r.as->add([&](IAsyncSteps& as) { crowd.enter(as, 3, 1); },
              [](IAsyncSteps& as, ErrorCode) { as(); });
    r.run();
    EXPECT("DefenseRejected");
}

// By sync of the API: typed values go in and come out, and the same flow enters again.
CASE(their_mutex)
{
    ri::Mutex mutex;
    int inside = 0;

    auto& p = r.as->parallel();
    for (int i = 0; i < 4; ++i) {
        p.add([&](IAsyncSteps& as) {
            as.add([](IAsyncSteps& as) { as(21); });
            as.sync(mutex, [&](IAsyncSteps& as, int n) {
                CHECK(++inside == 1);
                as.sync(mutex, [&](IAsyncSteps&) { CHECK(inside == 1); });
                as.add([&inside, n](IAsyncSteps& as) {
                    --inside;
                    as(2 * n);
                });
            });
            as.add([&](IAsyncSteps&, int n) { r.say(std::to_string(n)); });
        });
    }
    r.run();
    EXPECT("42 42 42 42");
}

// G1: an error leaves the section before an outer handler is asked.
CASE(their_mutex_and_errors)
{
    ri::Mutex mutex(1, 10);

    r.as->add([&](IAsyncSteps& as) {
        as.sync(mutex, [](IAsyncSteps& as) { as.error("Inside"); },
                [&](IAsyncSteps&, ErrorCode) { r.say("inside"); });
    }, [&](IAsyncSteps& as, ErrorCode code) {
        r.say(code.operator const char*());
        as.sync(mutex, [&](IAsyncSteps&) { r.say("free"); });
    });
    r.run();
    EXPECT("inside Inside free");
}

CASE(their_throttle)
{
    Reactor reactor(r.root);
    ri::Throttle throttle(reactor, 20, std::chrono::milliseconds(2));

    contended(r, &throttle, 50);
}

CASE(their_limiter)
{
    Reactor reactor(r.root);
    ri::Limiter::Params params;
    params.concurrent = 2;
    params.max_queue = 50;
    params.rate = 20;
    params.period = std::chrono::milliseconds(2);
    params.burst = 50;
    ri::Limiter limiter(reactor, params);

    contended(r, &limiter, 2);
}

// Two threads with a loop each, and a mutex of each side that both want.
CASE(two_threads)
{
    Ours ours(ftngo_mutex_new(1, -1));
    ri::Mutex theirs(1, 1000);
    int shared[2] = {0, 0};

    auto thread = [&] {
        Rig own;
        for (int i = 0; i < 2; ++i) {
            auto& p = own.as->parallel();
            for (int k = 0; k < 3; ++k) {
                FutoInSync* guard = i ? static_cast<FutoInSync*>(&theirs) : ours.guard;
                auto* count = &shared[i];
                p.repeat(50, [guard, count](IAsyncSteps& as, size_t) {
                    auto& bsi = as.binary();
                    bsi.api->addSync(&bsi, guard, count, [](FutoInAsyncSteps* s, void* count, const FutoInArgs*) {
                        ++*static_cast<int*>(count);
                        auto as = Rig::wrap(s);
                        as->add([count](IAsyncSteps&) { ++*static_cast<int*>(count); });
                    }, nullptr);
                });
            }
        }
        own.run();
        CHECK(own.trace.empty());
    };
    std::thread a(thread), b(thread);
    a.join();
    b.join();
    CHECK(shared[0] == 600 && shared[1] == 600);
}
