/* What the programs share that use the real C++ API on the table of this engine. */
#ifndef REAL_RIG_HPP
#define REAL_RIG_HPP

#include <futoin/iasyncsteps.hpp>
#include <futoin/ri/binaryapi.hpp>

#include "ftngo.h" /* yields to the API's own headers */
#include "reactor.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
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

    // Branches take turns, and where a turn ends depends on how fast the machine is.
    void sort()
    {
        std::istringstream in(trace);
        std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
        std::sort(words.begin(), words.end());
        trace.clear();
        for (const auto& word : words)
            say(word);
    }

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

inline std::string text(ErrorCode code) { return code.operator const char*(); }

/* Says its word when it is destroyed. */
struct Said
{
    Said(Rig& r, std::string word) : r(r), word(std::move(word)) {}
    ~Said() { r.say(word); }
    Rig& r;
    std::string word;
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

} // namespace rig

#endif
