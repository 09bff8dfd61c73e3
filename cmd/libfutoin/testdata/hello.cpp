// A C++ program that has no other engine: lambdas as steps, RAII for the rest.
#include "rig.h"

#include <cstring>
#include <memory>
#include <string>

namespace {

using Steps = FutoInAsyncSteps;

// Adds a step whose code is a functor, kept until the program ends.
template<typename F>
void add(Steps* as, F f)
{
    auto* kept = new F(std::move(f));

    as->api->add(
            as,
            kept,
            [](Steps* s, void* data, const FutoInArgs*) {
                std::unique_ptr<F> self(static_cast<F*>(data));
                (*self)(s);
            },
            [](Steps* s, void*, const char* code) {
                say(code);
                s->api->success(s, nullptr);
            });
}

// A FutoInSync of C++, to see that the engine accepts one.
struct Gate : FutoInSync
{
    int locks = 0, unlocks = 0;
    static const FutoInSyncAPI table;

    Gate()
    {
        auto* api = &table;
        std::memcpy(static_cast<void*>(static_cast<FutoInSync*>(this)), &api, sizeof(api));
    }
};

const FutoInSyncAPI Gate::table = {{{
        [](Steps*, FutoInSync* sync) { static_cast<Gate*>(sync)->locks++; },
        [](Steps*, FutoInSync* sync) { static_cast<Gate*>(sync)->unlocks++; },
}}};

} // namespace

int main()
{
    ftngo_tool* tool = ftngo_tool_new();
    Steps* root = ftngo_root_new(tool);
    Gate gate;
    std::string text = "lambda";

    add(root, [&](Steps* as) {
        say(text.c_str());
        add(as, [](Steps* s) { s->api->handle_error(s, "Error", "of C++"); });
    });
    root->api->addSync(
            root, &gate, nullptr,
            [](Steps*, void*, const FutoInArgs*) { say("section"); },
            nullptr);
    root->api->execute(root, nullptr, [](Steps*, void*, const char* code) { say(code); });
    CHECK(ftngo_run(tool, 5000) == 0);
    EXPECT("lambda Error section");
    CHECK(gate.locks == 1 && gate.unlocks == 1);
    ftngo_root_free(tool, root);
    ftngo_tool_free(tool);
    CHECK(ftngo_live() == 0);
    return failures != 0;
}
