/*
 * Calls that are carried out when the code that made them returns take their places in
 * the order of all calls, and whoever asks finds them done. Each case runs in a loop of
 * many turns: the first turns of a pointer cross to Go at once.
 */
#include "scene.h"

enum { TURNS = 400 };

static S* waiting;
static const char* want; /* the trace of a turn */

static void unhandled(S* s, void* data, const char* code)
{
    (void) s;
    (void) data;
    printf("failed with %s\n", code);
    ++failures;
}

static void a(void* unused) { (void) unused; say("a"); }
static void b(void* unused) { (void) unused; say("b"); }

/* The last callback of a turn: what was queued before it has run. */
static void last(void* data)
{
    say("last");
    EXPECT(want);
    trace[0] = 0;
    A((S*) data)->success(data, NULL);
}

static void* queues_b(void* data)
{
    A((S*) data)->sched_immediate(data, NULL, b);
    return NULL;
}

static void* queues_last(void* data)
{
    A((S*) data)->sched_immediate(data, data, last);
    return NULL;
}

/* Immediates of the code, and of threads that it waits for. */

static void in_order(S* s, void* data)
{
    (void) data;
    A(s)->waitExternal(s);
    A(s)->sched_immediate(s, NULL, a);
    elsewhere(queues_b, s);
    A(s)->sched_immediate(s, NULL, a);
    A(s)->sched_immediate(s, NULL, b);
    elsewhere(queues_last, s);
}

/* The handle of an immediate. */

static FutoInHandle handle;

static void* asks_and_cancels(void* data)
{
    CHECK(A((S*) data)->sched_is_valid(data, &handle));
    A((S*) data)->sched_cancel(data, &handle);
    return NULL;
}

static void handles(S* s, void* data)
{
    FutoInHandle copy;

    A(s)->waitExternal(s);
    handle = A(s)->sched_immediate(s, NULL, a);
    copy = handle;
    CHECK(handle.data1 && handle.data3);
    if (*(size_t*) data % 3 == 0) {
        elsewhere(asks_and_cancels, s);
        CHECK(!A(s)->sched_is_valid(s, &copy));
    } else if (*(size_t*) data % 3 == 1) {
        asks_and_cancels(s);
        CHECK(!A(s)->sched_is_valid(s, &copy));
    }
    want = *(size_t*) data % 3 == 2 ? "a last" : "last";
    A(s)->sched_immediate(s, s, last);
}

/* A handle is void when its callback is called, and stays so. */

static FutoInHandle past[TURNS];

static void is_void(void* data)
{
    CHECK(!A((S*) data)->sched_is_valid(data, &handle));
    last(data);
}

static void runs_out(S* s, void* data)
{
    size_t i, turn = *(size_t*) data;

    A(s)->waitExternal(s);
    past[turn] = handle = A(s)->sched_immediate(s, s, is_void);
    for (i = 0; i < turn; ++i) {
        CHECK(!A(s)->sched_is_valid(s, &past[i]));
    }
}

/* Success by a callback, and what is said and asked after it. */

static int cleaned;

static void count_cleanup(FutoInBinaryValue* v)
{
    (void) v;
    ++cleaned;
}

static const FutoInType counted = {FTN_TYPE_CUSTOM_OBJECT, count_cleanup};
static const FutoInType i32 = {FTN_TYPE_INT32, NULL};

static void* finds_it_done(void* data)
{
    FutoInArgs late = {0};

    CHECK(!A((S*) data)->isValid(data));
    late.arg0.type = &counted;
    A((S*) data)->success(data, &late);
    CHECK(cleaned == 1);
    A((S*) data)->handle_error(data, "Late", NULL);
    return NULL;
}

static void completes(void* data)
{
    FutoInArgs out = {0};
    S* s = data;

    out.arg0.type = &i32;
    out.arg0.i32 = 7;
    A(s)->success(s, &out);
    CHECK(!out.arg0.type);
    cleaned = 0;
    if (waiting) {
        elsewhere(finds_it_done, s);
    } else {
        finds_it_done(s);
    }
    waiting = waiting ? NULL : s;
}

static void waits(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->waitExternal(s);
    A(s)->sched_immediate(s, s, (void (*)(void*)) (uintptr_t) data);
}

static void takes(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    CHECK(args->arg0.type == &i32 && args->arg0.i32 == 7);
}

static void once(S* s, void* data)
{
    (void) data;
    A(s)->add(s, (void*) (uintptr_t) completes, waits, NULL);
    A(s)->add(s, NULL, takes, NULL);
}

/* Success that comes too late, because another thread was faster. */

static void* is_faster(void* data)
{
    FutoInArgs out = {0};

    out.arg0.type = &i32;
    out.arg0.i32 = 7;
    A((S*) data)->success(data, &out);
    return NULL;
}

static void too_late(void* data)
{
    FutoInArgs late = {0};

    cleaned = 0;
    elsewhere(is_faster, data);
    late.arg0.type = &counted;
    A((S*) data)->success(data, &late);
    CHECK(cleaned == 1); /* at once */
    late.arg0.type = &i32;
    A((S*) data)->success(data, &late);
    CHECK(!late.arg0.type);
}

static void gives_nothing(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->success(s, NULL);
}

static void takes_nothing(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    CHECK(!args->arg0.type); /* nothing of what came too late for another step */
}

static void late(S* s, void* data)
{
    A(s)->add(s, (void*) (uintptr_t) too_late, waits, NULL);
    A(s)->add(s, NULL, takes, NULL);
    if (*(size_t*) data % 3 == 0) { /* so that pointers change their roles */
        A(s)->add(s, NULL, gives_nothing, NULL);
    }
    A(s)->add(s, NULL, gives_nothing, NULL);
    A(s)->add(s, NULL, takes_nothing, NULL);
}

/* Two steps go on in the order in which they were completed, and before a later immediate. */

static S* pair[2];

static void waits_as(S* s, void* at, const FutoInArgs* args)
{
    (void) args;
    pair[(S**) at - pair] = s;
    A(s)->waitExternal(s);
}

static void tells(S* s, void* at, const FutoInArgs* args)
{
    (void) s;
    (void) args;
    say(at == pair ? "first" : "second");
}

static void branch(S* s, void* at, const FutoInArgs* args)
{
    (void) args;
    A(s)->add(s, at, waits_as, NULL);
    A(s)->add(s, at, tells, NULL);
}

static void completes_pair(void* data)
{
    FutoInArgs none = {0};

    A(pair[1])->success(pair[1], &none);
    A(pair[0])->success(pair[0], &none);
    A((S*) data)->sched_immediate(data, data, last);
}

static void completes_both(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->waitExternal(s);
    A(s)->sched_immediate(s, s, completes_pair);
}

static void both(S* s, void* data)
{
    S* p = A(s)->parallel(s, NULL, NULL);

    (void) data;
    A(p)->add(p, &pair[0], branch, NULL);
    A(p)->add(p, &pair[1], branch, NULL);
    A(p)->add(p, NULL, completes_both, NULL);
}

/* A callback completes its step and ends the run. */

static void completes_and_cancels(void* data)
{
    FutoInArgs none = {0};

    A((S*) data)->success(data, &none);
    A(root)->cancel(root);
    CHECK(!A((S*) data)->isValid(data));
}

static void never(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    (void) args;
    say("never");
}

static void cancelled(S* s, void* turn)
{
    if (*(size_t*) turn < TURNS - 1) {
        once(s, NULL);
        return;
    }
    A(s)->add(s, (void*) (uintptr_t) completes_and_cancels, waits, NULL);
    A(s)->add(s, NULL, never, NULL);
}

/* A flow that lock and unlock let in goes on after what was queued before. */

static FutoInSync* mutex;

static void locks(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    mutex->api->lock(s, mutex);
}

static void succeeds(void* data)
{
    A((S*) data)->success(data, NULL);
}

static void pauses(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->waitExternal(s);
    A(s)->sched_deferred(s, 0, s, succeeds);
}

static void unlocks(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->sched_immediate(s, NULL, a);
    A(s)->sched_immediate(s, NULL, a);
    mutex->api->unlock(s, mutex);
}

static void is_in(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    (void) args;
    say("in");
}

static void unlocked(void)
{
    size_t i;

    tool = ftngo_tool_new();
    mutex = ftngo_mutex_new(1, -1);
    for (i = 0; i < TURNS; ++i) {
        S* other = ftngo_root_new(tool);

        root = ftngo_root_new(tool);
        A(root)->add(root, NULL, locks, NULL);
        A(root)->add(root, NULL, pauses, NULL);
        A(root)->add(root, NULL, unlocks, NULL);
        A(root)->execute(root, NULL, unhandled);
        A(other)->addSync(other, mutex, NULL, is_in, NULL);
        A(other)->execute(other, NULL, unhandled);
        CHECK(ftngo_run(tool, 20000) == 0);
        EXPECT("a a in");
        trace[0] = 0;
        ftngo_root_free(tool, root);
        ftngo_root_free(tool, other);
    }
    ftngo_sync_free(mutex);
    ftngo_tool_free(tool);
}

/* The handle of an immediate stays valid when its pointer names something on another loop. */

static int called;

static void counts(void* unused)
{
    (void) unused;
    ++called;
}

static void schedules(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    handle = A(s)->sched_immediate(s, NULL, counts);
}

static void moved(void)
{
    ftngo_tool* other = ftngo_tool_new();
    size_t i;

    called = 0;
    tool = ftngo_tool_new();
    for (i = 0; i < TURNS; ++i) {
        root = ftngo_root_new(tool);
        A(root)->add(root, NULL, schedules, NULL);
        A(root)->execute(root, NULL, unhandled);
        CHECK(i == TURNS - 1 ? ftngo_iterate(tool) == 1 : ftngo_run(tool, 20000) == 0);
        ftngo_root_free(tool, root);
    }
    CHECK(called == TURNS - 1);
    for (i = 0; i < TURNS; ++i) { /* the pointers pass from one to the other */
        ftngo_root_free(other, ftngo_root_new(other));
    }
    root = ftngo_root_new(tool);
    CHECK(A(root)->sched_is_valid(root, &handle));
    A(root)->sched_cancel(root, &handle);
    CHECK(ftngo_run(tool, 20000) == 0);
    CHECK(called == TURNS - 1);
    ftngo_root_free(tool, root);
    ftngo_tool_free(tool);
    ftngo_tool_free(other);
}

/* An instance that has ended is void when free returns, and what it has to clean up is cleaned up. */

static void nothing(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    (void) args;
}

static void* itself(void* data) { return data; }
static void drops(void* data, void* value) { (void) value; say(data); }
static void memory(void* unused) { (void) unused; say("memory"); }

static void freed(void)
{
    ptrdiff_t last_id = 0;
    size_t i;

    tool = ftngo_tool_new();
    root = ftngo_root_new(tool);
    for (i = 0; i < TURNS; ++i) {
        S* s = A(root)->newInstance(root);

        CHECK(A(s)->isValid(s));
        CHECK(A(s)->rootId(s) != last_id && A(s)->rootId(s) != A(root)->rootId(root));
        last_id = A(s)->rootId(s);
        if (i % 3 == 1) {
            CHECK(A(s)->stack(s, 1, memory));
        }
        A(s)->add(s, NULL, nothing, NULL);
        A(s)->execute(s, NULL, unhandled);
        CHECK(!A(s)->isValid(s)); /* it executes */
        CHECK(ftngo_run(tool, 20000) == 0);
        CHECK(A(s)->isValid(s)); /* it takes steps again */
        if (i % 3 == 2) {
            CHECK(A(s)->stateVariable(s, "variable", "name", itself, drops));
        }
        CHECK(i % 5 || ftngo_live() == 2);
        A(s)->free(s);
        EXPECT(i % 3 == 1 ? "memory" : i % 3 == 2 ? "variable" : "");
        trace[0] = 0;
        CHECK(!A(s)->isValid(s));
        CHECK(i % 5 || ftngo_live() == 1);
    }
    ftngo_root_free(tool, root);
    ftngo_tool_free(tool);
}

static const struct
{
    const char* name;
    void (*body)(S*, void*); /* of the loop; NULL: whole is all of the case */
    const char* want;
    void (*whole)(void);
} cases[] = {
        {"in_order", in_order, "a b a b last", NULL},
        {"handles", handles, NULL, NULL},
        {"runs_out", runs_out, "last", NULL},
        {"once", once, NULL, NULL},
        {"late", late, NULL, NULL},
        {"both", both, "second first last", NULL},
        {"cancelled", cancelled, NULL, NULL},
        {"moved", NULL, NULL, moved},
        {"freed", NULL, NULL, freed},
        {"unlocked", NULL, NULL, unlocked},
};

static void turn(S* s, void* at, size_t i)
{
    static size_t turn_of;

    turn_of = i;
    cases[*(size_t*) at].body(s, &turn_of);
}

static void turns(size_t at)
{
    want = cases[at].want;
    tool = ftngo_tool_new();
    root = ftngo_root_new(tool);
    A(root)->repeat(root, &at, TURNS, turn, NULL);
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_run(tool, 20000) == 0);
    ftngo_root_free(tool, root);
    ftngo_tool_free(tool);
}

int main(int argc, char** argv)
{
    int ran = 0;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0) {
            continue;
        }
        ++ran;
        if (cases[i].whole) {
            cases[i].whole();
        } else {
            turns(i);
        }
        CHECK(ftngo_live() == 0);
    }
    CHECK(ran); /* there is a case of that name */
    EXPECT("");
    return failures != 0;
}
