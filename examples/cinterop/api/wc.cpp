// Counts lines and bytes of files, as wc/ does, with the C++ API of FutoIn: lambdas as
// steps, typed results. The steps run in the engine of libfutoin.
#include <futoin/iasyncsteps.hpp>
#include <futoin/ri/binaryapi.hpp>

#include "ftngo.h"

#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using futoin::ErrorCode;
using futoin::IAsyncSteps;

namespace {

struct Totals
{
    std::uint64_t lines = 0, bytes = 0;
    bool failed = false;
} totals;

void print(std::uint64_t lines, std::uint64_t bytes, const std::string& name)
{
    std::cout << std::setw(8) << lines << " " << std::setw(8) << bytes << " " << name << "\n";
}

// Reads a file on a thread of its own, which completes the step.
void count(IAsyncSteps& as, const std::string& name)
{
    as.setTimeout(std::chrono::seconds(10)); // at most, and this is a wait
    std::thread([&as, name] {
        std::ifstream file(name, std::ios::binary);
        std::uint64_t lines = 0, bytes = 0;
        char c;

        if (!file) {
            as.errorNoThrow("CantRead", futoin::string(name.c_str()));
            return;
        }
        while (file.get(c)) {
            ++bytes;
            lines += c == '\n';
        }
        as(std::move(lines), std::move(bytes));
    }).detach();
}

// The step of one file. Its error doesn't end the others.
void add_file(IAsyncSteps& as, const std::string& name)
{
    as.add(
            [&name](IAsyncSteps& as) {
                as.add([&name](IAsyncSteps& as) { count(as, name); });
                as.add([&name](IAsyncSteps&, std::uint64_t lines, std::uint64_t bytes) {
                    print(lines, bytes, name);
                    totals.lines += lines;
                    totals.bytes += bytes;
                });
            },
            [&name](IAsyncSteps& as, ErrorCode code) {
                std::cerr << "wc: " << name << ": " << code.operator const char*() << "\n";
                totals.failed = true;
                as();
            });
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> names(argv + 1, argv + argc);
    ftngo_tool* tool = ftngo_tool_new();
    FutoInAsyncSteps* root = ftngo_root_new(tool);
    {
        auto as = futoin::ri::wrap_binary_steps(*root);

        auto& files = as->parallel();
        for (const auto& name : names) {
            add_file(files, name);
        }
        as->add([](IAsyncSteps&) { print(totals.lines, totals.bytes, "total"); });
        as->execute();
        ftngo_run(tool, -1);
    }
    ftngo_root_free(tool, root);
    ftngo_tool_free(tool);
    return totals.failed;
}
