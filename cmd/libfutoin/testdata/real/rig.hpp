/* What the programs share that use the real C++ API on the table of this engine. */
#ifndef REAL_RIG_HPP
#define REAL_RIG_HPP

#include <futoin/iasyncsteps.hpp>
#include <futoin/ri/binaryapi.hpp>

#include "ftngo.h" /* yields to the API's own headers */

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rig {

using futoin::ErrorCode;
using futoin::IAsyncSteps;
using Steps = std::unique_ptr<IAsyncSteps>;

extern int failures;

inline void check(bool ok, const char* what, const char* file, int line)
{
    if (!ok) {
        std::cout << file << ":" << line << ": not true: " << what << "\n";
        ++failures;
    }
}

#define CHECK(cond) rig::check((cond), #cond, __FILE__, __LINE__)

/* An engine, a root, and what happened, a word each. */
struct Rig
{
    Rig() : tool(ftngo_tool_new()), root(ftngo_root_new(tool)), as(wrap(root)) {}

    ~Rig()
    {
        as.reset();
        ftngo_root_free(tool, root);
        ftngo_tool_free(tool);
    }

    Rig(const Rig&) = delete;

    static Steps wrap(FutoInAsyncSteps* bsi) { return futoin::ri::wrap_binary_steps(*bsi); }

    /* Executes the root and drives the engine until nothing is left to do. */
    void run()
    {
        as->state().unhandled_error = [this](ErrorCode code) {
            say("unhandled");
            say(static_cast<const char*>(code));
        };
        as->execute();
        drive();
    }

    void drive() { CHECK(ftngo_run(tool, 20000) == 0); }

    void say(const std::string& word) { trace += (trace.empty() ? "" : " ") + word; }

    void expect(const std::string& want, const char* file, int line)
    {
        if (trace != want) {
            std::cout << file << ":" << line << ": got \"" << trace << "\", want \"" << want << "\"\n";
            ++failures;
        }
    }

    ftngo_tool* tool;
    FutoInAsyncSteps* root;
    Steps as;
    std::string trace;
};

#define EXPECT(text) r.expect((text), __FILE__, __LINE__)

struct Case
{
    const char* name;
    void (*run)(Rig&);
};

std::vector<Case>& cases();

struct Register
{
    Register(const char* name, void (*run)(Rig&)) { cases().push_back({name, run}); }
};

#define CASE(name)                                   \
    static void name(rig::Rig& r);                   \
    static rig::Register register_##name{#name, name}; \
    static void name([[gnu::unused]] rig::Rig& r)

/*
 * The reactor of the engine for what wants a futoin::IAsyncTool, such as a
 * Throttle. The one that a wrapper gives uses memory that it hasn't constructed.
 */
class Reactor : public futoin::IAsyncTool
{
public:
    explicit Reactor(FutoInAsyncSteps* bsi) : own(bsi->api->newInstance(bsi)) {}
    ~Reactor() noexcept override { own->api->free(own); }

    Handle immediate(CallbackPass&& cb) noexcept override
    {
        return own->api->sched_immediate(own, keep(std::move(cb)), call);
    }

    Handle deferred(std::chrono::milliseconds delay, CallbackPass&& cb) noexcept override
    {
        auto ms = static_cast<uint32_t>(delay.count());
        return own->api->sched_deferred(own, ms, keep(std::move(cb)), call);
    }

    bool is_same_thread() noexcept override { return own->api->is_same_thread(own) != 0; }
    CycleResult iterate() noexcept override { return {false, {}}; }
    futoin::IMemPool& mem_pool(std::size_t, bool) noexcept override
    {
        return futoin::GlobalMemPool::get_default();
    }
    void release_memory() noexcept override {}

protected:
    void cancel(Handle& h) noexcept override { h.cancel(); } /* handles are the engine's: */
    bool is_valid(Handle& h) noexcept override { return bool(h); } /* these aren't called */

private:
    struct Kept
    {
        CallbackPass::Storage storage;
        Callback callback;
    };

    void* keep(CallbackPass&& cb)
    {
        kept.emplace_back(new Kept); /* until the reactor ends: cancelled ones don't tell */
        cb.move(kept.back()->callback, kept.back()->storage);
        return kept.back().get();
    }

    static void call(void* data) { static_cast<Kept*>(data)->callback(); }

    FutoInAsyncSteps* own;
    std::vector<std::unique_ptr<Kept>> kept;
};

} // namespace rig

#endif
