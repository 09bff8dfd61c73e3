/*
 * A small C++ face of the table, to test with where the real one isn't at hand.
 * It asks for memory, reports and breaks in the order in which the wrapper of the
 * C++ reference implementation does:
 *  - add, loop, setCancel first put what they keep on the stack of the pointer;
 *  - error and breakLoop report, and throw; the catch reports once more;
 *  - await is a loop that says success and then breaks, in one turn;
 *  - a step that waits keeps its wrapper on the stack, after its code has returned.
 */
#ifndef FACE_HPP
#define FACE_HPP

#include "ftngo.h"

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

/*
 * The virtual functions of the real reactor, in their order. Its Handle has the
 * fields of a FutoInHandle, and calls the last two, for itself, on what data2 is.
 */
class Reactor
{
public:
    virtual ~Reactor() = default;
    virtual void immediate() = 0;
    virtual void deferred() = 0;
    virtual void is_same_thread() = 0;
    virtual void iterate() = 0;
    virtual void mem_pool() = 0;
    virtual void release_memory() = 0;
    virtual void cancel(FutoInHandle& h) noexcept = 0;
    virtual bool is_valid(FutoInHandle& h) noexcept = 0;

    static bool valid(FutoInHandle& h)
    {
        return h.data1 && static_cast<Reactor*>(h.data2)->is_valid(h);
    }

    static void stop(FutoInHandle& h)
    {
        if (h.data1) {
            static_cast<Reactor*>(h.data2)->cancel(h);
        }
    }
};

class Face
{
public:
    using Code = std::function<void(Face&)>;
    using Handler = std::function<void(Face&, const char*)>;

    explicit Face(FutoInAsyncSteps* bsi) : bsi(bsi) {}

    template<typename T, typename... Args>
    T& stack(Args&&... args)
    {
        void* at = bsi->api->stack(bsi, sizeof(T), [](void* p) { static_cast<T*>(p)->~T(); });
        return *new (at) T{std::forward<Args>(args)...};
    }

    Face& add(Code f, Handler eh = {})
    {
        auto& kept = stack<Kept>(std::move(f), std::move(eh));
        bsi->api->add(bsi, &kept, run, fail);
        return *this;
    }

    Face& sync(FutoInSync* guard, Code f, Handler eh = {})
    {
        auto& kept = stack<Kept>(std::move(f), std::move(eh));
        bsi->api->addSync(bsi, guard, &kept, run, fail);
        return *this;
    }

    Face& parallel(Handler eh = {})
    {
        auto& kept = stack<Kept>(Code{}, std::move(eh));
        return stack<Face>(bsi->api->parallel(bsi, &kept, fail));
    }

    void loop(Code f, const char* label = nullptr)
    {
        auto& kept = stack<Kept>(std::move(f), Handler{});
        bsi->api->loop(
                bsi, &kept, [](FutoInAsyncSteps* s, void* data) { run(s, data, nullptr); }, label);
    }

    /* Turns until ready says true; what that has put into out is the result. */
    void await(std::function<bool(Face&)> ready)
    {
        loop([ready](Face& as) {
            if (ready(as)) {
                as.bsi->api->breakLoop(as.bsi, nullptr);
            }
        });
    }

    void success(int32_t n = 0)
    {
        static const FutoInType number = {FTN_TYPE_INT32, nullptr};
        FutoInArgs out{};
        out.arg0.type = &number;
        out.arg0.i32 = n;
        bsi->api->success(bsi, &out);
    }

    [[noreturn]] void error(const char* code)
    {
        bsi->api->handle_error(bsi, code, "info");
        throw Error{code, Error::FAILS};
    }

    [[noreturn]] void breakLoop(const char* label = nullptr)
    {
        bsi->api->breakLoop(bsi, label);
        throw Error{label ? label : "", Error::BREAKS};
    }

    [[noreturn]] void continueLoop(const char* label = nullptr)
    {
        bsi->api->continueLoop(bsi, label);
        throw Error{label ? label : "", Error::CONTINUES};
    }

    void setCancel(Code hook)
    {
        waits = true;
        auto& kept = stack<Kept>(std::move(hook), Handler{});
        bsi->api->setCancel(bsi, &kept, [](FutoInAsyncSteps* s, void* data) {
            Face as(s);
            static_cast<Kept*>(data)->f(as);
        });
    }

    void setTimeout(uint32_t ms)
    {
        waits = true;
        bsi->api->setTimeout(bsi, ms);
    }

    FutoInAsyncSteps* bsi;
    int32_t given = 0; /* the first value that the step has got */

private:
    struct Kept
    {
        Code f;
        Handler eh;
    };

    struct Error
    {
        enum Kind { FAILS, BREAKS, CONTINUES };
        std::string text;
        Kind kind;
    };

    static void run(FutoInAsyncSteps* s, void* data, const FutoInArgs* args)
    {
        std::unique_ptr<Face> as(new Face(s));

        if (args) {
            as->given = args->arg0.i32;
        }
        guarded(*as, [&] { static_cast<Kept*>(data)->f(*as); });
        if (as->waits) {
            as->stack<std::unique_ptr<Face>>().swap(as);
        }
    }

    static void fail(FutoInAsyncSteps* s, void* data, const char* code)
    {
        auto* kept = static_cast<Kept*>(data);

        if (kept->eh) {
            Face as(s);
            guarded(as, [&] { kept->eh(as, code); });
        }
    }

    template<typename F>
    static void guarded(Face& as, F f)
    {
        try {
            f();
        } catch (const Error& e) {
            auto* label = e.text.empty() ? nullptr : e.text.c_str();
            switch (e.kind) {
            case Error::FAILS: as.bsi->api->handle_error(as.bsi, e.text.c_str(), "again"); break;
            case Error::BREAKS: as.bsi->api->breakLoop(as.bsi, label); break;
            case Error::CONTINUES: as.bsi->api->continueLoop(as.bsi, label); break;
            }
        }
    }

    bool waits = false;
};

#endif
