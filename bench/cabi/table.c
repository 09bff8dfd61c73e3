/*
 * Measures the same steps of C on two engines, through the table of functions
 * that each gives: table [MILLISECONDS [ROW]]. That is how long each measurement
 * takes at least; 0 is one operation. With a ROW only the rows of that name are
 * measured.
 *
 * An operation makes an instance, adds its steps, executes it, runs the loop and
 * frees the instance. So the row with one step is the price of an instance, and
 * what one more step takes is the difference of two sizes. The sizes are small
 * because the C++ engine becomes much slower with more than eight steps or more
 * than four parallel ones in a run.
 */
#include "../native/measure.h"
#include "engine.h"

#include <futoin_asyncsteps.h>

#include <stdlib.h>
#include <string.h>

typedef struct program
{
    const engine* engine;
    const char* row;
    void (*add)(struct program* p, FutoInAsyncSteps* to); /* adds a run's steps */
    size_t size;                                          /* how many parts it has */
    void (*body)(FutoInAsyncSteps* as, struct program* p); /* of a loop */
    size_t left;               /* turns of the loop that are still to begin */
    size_t want;               /* what the steps count in a run */
    size_t value;              /* what they have counted */
    FutoInAsyncSteps* waiting; /* a step, until it is completed */
} program;

static void plain(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    (void) as;
    (void) args;
    ++((program*) data)->value;
}

static void complete(void* data)
{
    program* p = data;
    FutoInArgs none = {0};

    ++p->value;
    p->waiting->api->success(p->waiting, &none);
}

/* Suspends a step until the loop's next turn. */
static void suspend(FutoInAsyncSteps* as, program* p)
{
    p->waiting = as;
    as->api->waitExternal(as);
    as->api->sched_immediate(as, p, complete);
}

static void wait(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    (void) args;
    suspend(as, data);
}

static void turn(FutoInAsyncSteps* as, void* data)
{
    program* p = data;

    if (p->left-- == 0) {
        as->api->breakLoop(as, NULL);
    } else {
        p->body(as, p);
    }
}

/* A body that ends at once. */
static void pass(FutoInAsyncSteps* as, program* p)
{
    (void) as;
    ++p->value;
}

static void add_steps(program* p, FutoInAsyncSteps* to)
{
    for (size_t i = 0; i < p->size; ++i) {
        to->api->add(to, p, plain, NULL);
    }
    p->want = p->size;
}

static void add_waits(program* p, FutoInAsyncSteps* to)
{
    for (size_t i = 0; i < p->size; ++i) {
        to->api->add(to, p, wait, NULL);
    }
    p->want = p->size;
}

static void add_branches(program* p, FutoInAsyncSteps* to)
{
    for (size_t i = 0; i < p->size; ++i) {
        FutoInAsyncSteps* both = to->api->parallel(to, p, NULL);

        both->api->add(both, p, plain, NULL);
        both->api->add(both, p, plain, NULL);
    }
    p->want = 2 * p->size;
}

static void failed(FutoInAsyncSteps* as, void* data, const char* code)
{
    (void) as;
    (void) code;
    measure_wrong(((program*) data)->row);
}

/* Executes an instance to its end, frees it, and checks what it has counted. */
static void run(program* p, FutoInAsyncSteps* instance)
{
    instance->api->execute(instance, p, failed);
    p->engine->drain(p->engine->loop);
    instance->api->free(instance);
    if (p->value != p->want) {
        measure_wrong(p->row);
    }
}

static void runs(void* data, size_t count)
{
    program* p = data;

    for (; count > 0; --count) {
        FutoInAsyncSteps* root = p->engine->root;
        FutoInAsyncSteps* instance = root->api->newInstance(root);

        p->value = 0;
        p->add(p, instance);
        run(p, instance);
    }
}

/* The operation is one turn of a loop that begins once. */
static void turns(void* data, size_t count)
{
    program* p = data;
    FutoInAsyncSteps* root = p->engine->root;
    FutoInAsyncSteps* instance = root->api->newInstance(root);

    p->value = 0;
    p->want = p->left = count;
    instance->api->loop(instance, p, turn, NULL);
    run(p, instance);
}

/*
 * Measures a row on each engine, so that its columns are next to each other. A name
 * that isn't NULL is that of the only row to be measured.
 */
static void measure_columns(
        const program* row,
        const engine* engines,
        size_t count,
        void (*work)(void* data, size_t count),
        const char* name)
{
    if (name && strcmp(name, row->row) != 0) {
        return;
    }
    for (size_t e = 0; e < count; ++e) {
        program p = *row;

        p.engine = &engines[e];
        measure_row(p.row, engines[e].column, p.size, work, &p);
    }
}

int main(int argc, char** argv)
{
    const engine engines[] = {
            engine_asyncsteps(),
#ifdef WITH_CPP
            engine_cpp(),
#endif
    };
    const size_t count = sizeof(engines) / sizeof(engines[0]);
    const program flows[] = {
            {.row = "TableSteps", .add = add_steps, .size = 1},
            {.row = "TableSteps", .add = add_steps, .size = 8},
            {.row = "TableWait", .add = add_waits, .size = 1},
            {.row = "TableWait", .add = add_waits, .size = 8},
            {.row = "TablePar2", .add = add_branches, .size = 1},
            {.row = "TablePar2", .add = add_branches, .size = 4},
    };
    const program loops[] = {
            {.row = "TableTurn", .body = pass},
            {.row = "TableTurnWait", .body = suspend},
    };

    const char* name = argc > 2 ? argv[2] : NULL;

    measure_least = 1e6 * (argc > 1 ? atof(argv[1]) : 300);
    for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); ++i) {
        measure_columns(&flows[i], engines, count, runs, name);
    }
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); ++i) {
        measure_columns(&loops[i], engines, count, turns, name);
    }
    return 0;
}
