// Usage: real -list, or real NAME
#include "rig.hpp"

#include <cstring>

int rig::failures;

std::vector<rig::Case>& rig::cases()
{
    static std::vector<Case> all;
    return all;
}

int main(int argc, char** argv)
{
    bool list = argc > 1 && std::strcmp(argv[1], "-list") == 0;

    for (const auto& c : rig::cases()) {
        if (list) {
            std::cout << c.name << "\n";
            continue;
        }
        if (argc > 1 && std::strcmp(argv[1], c.name) != 0) {
            continue;
        }
        {
            rig::Rig r;
            c.run(r);
        }
        if (ftngo_live() != 0) {
            std::cout << c.name << ": " << ftngo_live() << " pointers are still alive\n";
            ++rig::failures;
        }
    }
    return rig::failures != 0;
}
