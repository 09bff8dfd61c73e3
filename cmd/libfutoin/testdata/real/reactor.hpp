#ifndef REACTOR_HPP
#define REACTOR_HPP

#include <futoin/iasyncsteps.hpp>

#include <memory>
#include <vector>

namespace rig {

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
