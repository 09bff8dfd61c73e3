// The C++ implementation of AsyncSteps.

#include "../cpp/world.hpp"
#include "engine.h"

namespace
{
    void drain(void* loop)
    {
        static_cast<World*>(loop)->drain();
    }
}

engine engine_cpp(void)
{
    static World world;
    static futoin::ri::AsyncSteps root(world.tool);

    return engine{"cpp", &root.binary(), &world, drain};
}
