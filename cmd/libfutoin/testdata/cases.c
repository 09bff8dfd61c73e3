/*
 * Each case drives the engine through the tables and checks what happened.
 * Usage: cases NAME, or without a name all of them.
 */
#include "scene.h"

#include <stdatomic.h>
#include <sys/resource.h>

static void unhandled(S* s, void* data, const char* code)
{
    (void) s;
    (void) data;
    say("unhandled");
    say(code);
}

static void run(void)
{
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_run(tool, 5000) == 0);
}

/* O2: add, sub-steps, levels */

static void with_subs(S* s, void* data, const FutoInArgs* args)
{
    word(s, data, args);
    A(s)->add(s, "a1", word, NULL);
    A(s)->add(s, "a2", word, NULL);
}

static void levels(void)
{
    A(root)->add(root, "a", with_subs, NULL);
    A(root)->add(root, "b", word, NULL);
    run();
    EXPECT("a a1 a2 b");
}

/* arguments between steps, of every type, with cleanup counts (B1) */

static int cleaned;

static void count_cleanup(FutoInBinaryValue* v)
{
    (void) v;
    ++cleaned;
}

static const FutoInType custom_type = {FTN_TYPE_CUSTOM_OBJECT, count_cleanup};
static const FutoInType string_type = {FTN_TYPE_STRING, count_cleanup};
static const FutoInType i32_type = {FTN_TYPE_INT32, NULL};
static const FutoInType array_type = {FTN_TYPE_INT16 | FTN_TYPE_ARRAY, count_cleanup};

static const int16_t shorts[] = {-1, 2, 3};

static void gives(S* s, void* data, const FutoInArgs* args)
{
    FutoInArgs out;

    (void) data;
    (void) args;
    memset(&out, 0, sizeof(out));
    out.arg0.type = &i32_type;
    out.arg0.i32 = -42;
    out.arg1.type = &string_type;
    out.arg1.cstr = "text";
    out.arg1.length = 4;
    out.arg2.type = &array_type;
    out.arg2.p = shorts;
    out.arg2.length = 3;
    out.arg3.type = &custom_type;
    out.arg3.p = &out;
    A(s)->success(s, &out);
    CHECK(!out.arg0.type && !out.arg1.type && !out.arg2.type && !out.arg3.type);
}

static void takes(S* s, void* data, const FutoInArgs* args)
{
    FutoInArgs* in = (FutoInArgs*) args;
    int i;

    (void) s;
    (void) data;
    say("takes");
    CHECK(in->arg0.type == &i32_type && in->arg0.i32 == -42);
    CHECK(in->arg1.type == &string_type && strcmp(in->arg1.cstr, "text") == 0);
    CHECK(in->arg2.length == 3 && ((const int16_t*) in->arg2.p)[2] == 3);
    CHECK(in->arg3.type == &custom_type);
    CHECK(cleaned == 0);
    for (i = 0; i < 4; ++i) {
        futoin_reset_binval(&in->args[i]);
        futoin_reset_binval(&in->args[i]); /* idempotent */
    }
    CHECK(cleaned == 3);
}

static void forwards(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    A(s)->success(s, (FutoInArgs*) args);
}

static void arguments(void)
{
    A(root)->add(root, NULL, gives, NULL);
    A(root)->add(root, NULL, forwards, NULL);
    A(root)->add(root, NULL, takes, NULL);
    run();
    EXPECT("takes");
    CHECK(cleaned == 3);
}

static void gives_last(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->add(s, data, gives, NULL);
}

/* B1: values that reach no code are reset by the engine, once */
static void dropped(void)
{
    S* p;

    A(root)->add(root, NULL, gives, NULL);
    A(root)->loop(root, "turn", NULL, NULL); /* takes none (L4), and has no code */
    run();
    CHECK(cleaned == 3);
    EXPECT("unhandled InternalError");
    ftngo_root_free(tool, root);
    root = ftngo_root_new(tool);
    p = A(root)->parallel(root, NULL, NULL);
    A(p)->add(p, NULL, gives_last, NULL); /* P2: results are dropped */
    A(root)->add(root, NULL, gives, NULL); /* the last result of the run */
    run();
    CHECK(cleaned == 9);
}

static void twice(S* s, void* data, const FutoInArgs* args)
{
    gives(s, data, args);
    gives(s, data, args);
}

static void twice_is_violation(void)
{
    A(root)->add(root, NULL, twice, caught);
    run();
    EXPECT("InternalError unhandled InternalError");
    CHECK(cleaned == 6);
}

/* E1, E2: errors and handlers */

static void fails(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->handle_error(s, data, "why");
    say("returns"); /* B2: takes effect on return */
}

static void renames(S* s, void* data, const char* code)
{
    say(code);
    A(s)->handle_error(s, data, NULL);
}

static void recovers(S* s, void* data, const char* code)
{
    (void) data;
    say(code);
    A(s)->success(s, NULL);
}

static void tries_again(S* s, void* data, const char* code)
{
    say(code);
    A(s)->add(s, data, word, NULL);
    A(s)->add(s, "Second", fails, caught);
}

static void with_failing_sub(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->add(s, data, fails, renames);
}

static void errors(void)
{
    A(root)->add(root, "First", with_failing_sub, recovers);
    A(root)->add(root, "next", word, NULL);
    run();
    EXPECT("returns First First next");
}

static void steps_in_handler(void)
{
    A(root)->add(root, "First", fails, tries_again);
    run();
    EXPECT("returns First First returns Second unhandled Second");
}

static void* alloc_word(void* data)
{
    say("alloc");
    return data;
}

static void clean_word(void* data, void* value)
{
    (void) data;
    (void) value;
    say("clean");
}

/* E3: error_info, B3: strings are copied */
static void shows_info(S* s, void* data, const char* code)
{
    (void) data;
    say(code);
    say(A(s)->stateVariable(s, NULL, "error_info", alloc_word, clean_word));
    A(s)->success(s, NULL);
}

static void fails_with_short_lived(S* s, void* data, const FutoInArgs* args)
{
    char code[8] = "Brief", info[8] = "short";

    (void) data;
    (void) args;
    A(s)->handle_error(s, code, info);
    memset(code, 'x', 4);
    memset(info, 'x', 4);
}

static void clears_info(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->handle_error(s, "Bare", NULL); /* NULL info is none */
}

static void checks_info(S* s, void* data, const char* code)
{
    (void) data;
    say(code);
    CHECK(A(s)->stateVariable(s, NULL, "error_info", alloc_word, clean_word) == NULL);
    A(s)->success(s, NULL);
}

static void strings_are_copied(void)
{
    A(root)->add(root, NULL, fails_with_short_lived, shows_info);
    A(root)->add(root, NULL, clears_info, checks_info);
    run();
    EXPECT("Brief short Bare");
}

/* E7, E8: violations are InternalError on that run */

static void adds_after_success(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->success(s, NULL);
    A(s)->add(s, data, word, NULL);
}

static void succeeds_after_add(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->add(s, data, word, NULL);
    A(s)->success(s, NULL);
}

static void fails_after_add(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->add(s, data, word, NULL);
    A(s)->handle_error(s, "Mine", NULL);
}

static void breaks(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->breakLoop(s, data);
}

static S* kept;

static void keeps(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    kept = s;
}

static void uses_kept(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) args;
    CHECK(A(kept)->isValid(kept) == 0);
    A(kept)->add(kept, data, word, NULL);
}

static void violates(FutoInAsyncSteps_execute_callback f)
{
    A(root)->add(root, "never", f, caught);
    run();
    EXPECT("InternalError unhandled InternalError");
    trace[0] = 0;
    ftngo_root_free(tool, root);
    root = ftngo_root_new(tool);
}

static void cancels_itself(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    A(s)->cancel(s); /* for roots only */
}

static void frees_as_root(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    ftngo_root_free(tool, s);
}

static void violations(void)
{
    violates(adds_after_success);
    violates(succeeds_after_add);
    violates(fails_after_add);
    violates(breaks);
    violates(cancels_itself);
    violates(frees_as_root);
    violates(NULL);
    A(root)->add(root, NULL, keeps, NULL);
    violates(uses_kept);
    A(root)->success(root, NULL); /* of a root: its first step fails */
    A(root)->add(root, "never", word, caught);
    run();
    EXPECT("unhandled InternalError");
}

static void executes_root(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) args;
    A(root)->execute(root, data, unhandled);
    CHECK(A(root)->isValid(root) == 0);
}

/* While it executes; roots.c has what comes after that */
static void execute_twice(void)
{
    A(root)->add(root, "a", word, NULL);
    A(root)->add(root, NULL, executes_root, NULL);
    A(root)->add(root, "b", word, NULL);
    A(root)->execute(root, NULL, unhandled);
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_run(tool, 5000) == 0);
    EXPECT("unhandled InternalError a unhandled InternalError b");
}

/* parallel (P1-P3), rootId (B7) */

static ptrdiff_t ids[3];

static void notes_id(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    ids[(size_t) data] = A(s)->rootId(s);
}

static void waits_hooked(S* s, void* data, const FutoInArgs* args);

static void branches(void)
{
    S* p = A(root)->parallel(root, NULL, recovers);

    A(p)->add(p, (void*) 0, notes_id, NULL);
    A(p)->add(p, (void*) 1, notes_id, NULL);
    A(p)->add(p, "hook1", waits_hooked, NULL);
    A(p)->add(p, "hook2", waits_hooked, NULL);
    A(p)->add(p, "Branch", fails, NULL);
    A(root)->add(root, (void*) 2, notes_id, NULL);
    CHECK(A(p)->rootId(p) == A(root)->rootId(root));
    run();
    CHECK(ids[0] && ids[1] && ids[0] != ids[1] && ids[0] != ids[2]);
    CHECK(ids[2] == A(root)->rootId(root));
    EXPECT("returns hook1 hook2 Branch"); /* siblings in order, then the handler */
}

static void nested(S* s, void* data, const FutoInArgs* args)
{
    S* p = A(s)->parallel(s, NULL, NULL);
    S* q = A(p)->parallel(p, NULL, NULL);

    (void) args;
    A(q)->add(q, data, word, NULL);
    A(q)->repeat(q, NULL, 0, NULL, NULL);
    A(p)->add(p, data, word, NULL);
}

static void nested_parallel(void)
{
    A(root)->add(root, "x", nested, NULL);
    A(root)->add(root, "end", word, NULL);
    run();
    EXPECT("x x end");
}

/* state (B7) */

static void state_user(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    say(A(s)->stateVariable(s, data, "key", alloc_word, clean_word));
    CHECK(A(s)->stateVariable(s, data, "none", NULL, NULL) == NULL);
}

/* The variables that the engine itself keeps can't be made */
static void asks_reserved(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    CHECK(!A(s)->stateVariable(s, data, "last_exception", alloc_word, clean_word));
    CHECK(!A(s)->stateVariable(s, data, "async_stack", alloc_word, clean_word));
}

static void state(void)
{
    asks_reserved(root, "never", NULL);
    A(root)->add(root, "never", asks_reserved, NULL);
    A(root)->add(root, "value", state_user, NULL);
    A(root)->add(root, "other", state_user, NULL);
    run();
    say(A(root)->stateVariable(root, "after", "key", alloc_word, clean_word));
    EXPECT("alloc value value value");
    trace[0] = 0;
    ftngo_root_free(tool, root);
    EXPECT("clean");
    trace[0] = 0;
    root = ftngo_root_new(tool);
    say(A(root)->stateVariable(root, "early", "key", alloc_word, clean_word));
    A(root)->add(root, "late", state_user, NULL);
    run();
    EXPECT("alloc early early");
}

static void asks_too_late(S* s, void* data, const FutoInArgs* args)
{
    S* ended = *(S**) data;

    (void) s;
    (void) args;
    say(A(ended)->stateVariable(ended, "own", "key", alloc_word, clean_word));
}

static void keeps_pointer(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    *(S**) data = s;
}

/* Through the pointer of parallel; and one that has ended gets a variable of its own (B9) */
static void state_elsewhere(void)
{
    static S* ended;
    S* p = A(root)->parallel(root, NULL, NULL);

    say(A(p)->stateVariable(p, "parallel", "key", alloc_word, clean_word));
    A(p)->add(p, "branch", state_user, NULL);
    A(root)->add(root, &ended, keeps_pointer, NULL);
    A(root)->add(root, &ended, asks_too_late, caught);
    run();
    EXPECT("alloc parallel parallel alloc own InternalError unhandled InternalError");
}

/* A variable of a pointer that has ended is cleaned up when the pointer names something else, whenever that is */

static S* building; /* the code that calls parallel; NULL while none does */
static int strays;

static void adds_many(void* data, void* value)
{
    int i;

    CHECK(data == value);
    ++strays;
    for (i = 0; building && i < 100; ++i) {
        A(building)->add(building, NULL, forwards, NULL);
    }
}

static void* same(void* data)
{
    return data;
}

static void makes_others(void)
{
    int i;

    for (i = 0; i < 400; ++i) {
        A(root)->free(A(root)->newInstance(root));
    }
}

static void* makes_others_first(void* data)
{
    makes_others();
    return data;
}

static void asks_all(S* s, void* data, const FutoInArgs* args)
{
    S** ended = data;
    int i;

    (void) s;
    (void) args;
    for (i = 0; ended[i]; ++i) {
        CHECK(A(ended[i])->stateVariable(
                      ended[i], data, "key", i ? same : makes_others_first, adds_many) == data);
    }
}

static void builds_many(S* s, void* data, size_t turn)
{
    int i;

    (void) data;
    (void) turn;
    building = s;
    for (i = 0; i < 20; ++i) {
        S* p = A(s)->parallel(s, NULL, NULL);

        A(p)->add(p, NULL, forwards, NULL);
    }
    building = NULL;
}

static void void_variables(void)
{
    static S* ended[21];
    int i;

    for (i = 0; i < 20; ++i) {
        A(root)->add(root, &ended[i], keeps_pointer, NULL);
    }
    A(root)->add(root, ended, asks_all, recovers);
    A(root)->repeat(root, NULL, 20, builds_many, NULL);
    run();
    EXPECT("InternalError");
    makes_others();
    CHECK(strays == 20);
}

/* stack (S3) */

static void clean_stack(void* value) { say(value); }

static void stack_user(S* s, void* data, const FutoInArgs* args)
{
    char* one = A(s)->stack(s, 8, clean_stack);
    char* two = A(s)->stack(s, 8, clean_stack);
    char* none = A(s)->stack(s, 100, NULL);

    CHECK(((uintptr_t) one & 15) == 0 && one[7] == 0 && none[99] == 0);
    strcpy(one, "one");
    strcpy(two, "two");
    fails(s, data, args);
}

static void stack(void)
{
    A(root)->add(root, "Error", stack_user, recovers);
    A(root)->add(root, "next", word, NULL);
    run();
    EXPECT("returns Error two one next");
}

/* Memory that a cleanup asks for by its own pointer, which is void by then, stays (B10) */

enum { PAGE = 4096 };

static S* leaving;
static char* late[2];
static int lates;

static void asks_for_stack(void* value)
{
    (void) value;
    late[lates] = A(leaving)->stack(leaving, PAGE, clean_stack);
    memset(late[lates++], 'x', PAGE);
}

static void has_cleanups(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    leaving = s;
    A(s)->stack(s, 1, asks_for_stack);
    A(s)->stack(s, 1, asks_for_stack);
}

static void finds_memory(S* s, void* data, const FutoInArgs* args)
{
    char want[PAGE];

    (void) s;
    (void) data;
    (void) args;
    memset(want, 'x', PAGE);
    CHECK(lates == 2 && late[0] != late[1]);
    CHECK(memcmp(late[0], want, PAGE) == 0 && memcmp(late[1], want, PAGE) == 0);
    say("found");
}

static void stack_in_cleanup(void)
{
    A(root)->add(root, NULL, has_cleanups, NULL);
    A(root)->add(root, NULL, finds_memory, NULL);
    run();
    EXPECT("found");
}

/* waits, timeouts, cancel hooks */

static void hook(S* s, void* data)
{
    CHECK(A(s)->isValid(s) == 0);
    say(data);
}

static void waits_hooked(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->setCancel(s, data, hook);
}

static void times_out(S* s, void* data, const FutoInArgs* args)
{
    waits_hooked(s, data, args);
    A(s)->setTimeout(s, 5);
}

static void timeouts(void)
{
    A(root)->add(root, "hook", times_out, recovers);
    run();
    EXPECT("hook Timeout");
}

static void completes(void* data)
{
    S* s = data;
    FutoInArgs out;

    memset(&out, 0, sizeof(out));
    out.arg3.type = &custom_type;
    CHECK(A(s)->isValid(s) && A(s)->is_same_thread(s));
    A(s)->success(s, &out);
    CHECK(!out.arg3.type && cleaned == 0);
    out.arg3.type = &custom_type;
    A(s)->success(s, &out); /* too late: falls away (C6), but was handed over */
    CHECK(!out.arg3.type && cleaned == 1);
    say("completed");
}

static void waits_for_timer(S* s, void* data, const FutoInArgs* args)
{
    FutoInHandle h, none;

    (void) data;
    (void) args;
    A(s)->waitExternal(s);
    h = A(s)->sched_deferred(s, 1, s, completes);
    CHECK(h.data1 && h.data2 && A(s)->sched_is_valid(s, &h)); /* B8 */
    none = A(s)->sched_deferred(s, 1, s, completes);
    A(s)->sched_cancel(s, &none);
    CHECK(!A(s)->sched_is_valid(s, &none));
    A(s)->sched_cancel(s, &none);
}

static void takes_fourth(S* s, void* data, const FutoInArgs* args)
{
    (void) s;
    (void) data;
    CHECK(args->arg3.type == &custom_type);
    futoin_reset_binval(&((FutoInArgs*) args)->arg3);
    say("takes");
}

static void external(void)
{
    A(root)->add(root, NULL, waits_for_timer, NULL);
    A(root)->add(root, NULL, takes_fourth, NULL);
    run();
    EXPECT("completed takes");
    CHECK(cleaned == 2);
}

static void* on_thread(void* data)
{
    S* s = data;

    CHECK(A(s)->is_same_thread(s) == 0);
    A(s)->add(s, "never", word, NULL); /* refused: the run fails */
    return NULL;
}

static void* finish(void* data)
{
    S* s = data;

    A(s)->success(s, NULL);
    return NULL;
}

static void starts_thread(S* s, void* data, const FutoInArgs* args)
{
    pthread_t other;

    (void) args;
    A(s)->waitExternal(s);
    CHECK(pthread_create(&other, NULL, data ? on_thread : finish, s) == 0);
    pthread_join(other, NULL); /* all of it happens before this returns */
}

static void* builds(void* data)
{
    S* s = data;
    int i;

    for (i = 0; i < 100; ++i) {
        S* n = A(s)->newInstance(s);

        CHECK(A(n)->isValid(n));
        A(n)->add(n, "never", word, NULL);
        A(n)->free(n);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t other;
    int i;

    /* A root may be made anywhere, also in what was a parallel step's memory. */
    for (i = 0; i < 100; ++i) {
        A(root)->add(root, "", nested, NULL);
    }
    run();
    CHECK(pthread_create(&other, NULL, builds, root) == 0);
    pthread_join(other, NULL);
    ftngo_root_free(tool, root);
    root = ftngo_root_new(tool);
    trace[0] = 0;
    A(root)->add(root, NULL, starts_thread, NULL);
    A(root)->add(root, "next", word, NULL);
    A(root)->add(root, root, starts_thread, recovers);
    run();
    EXPECT("next InternalError");
}

/* O5: a thread completes the step at any moment after waitExternal, also while the code returns */

static _Atomic(S*) published;
static atomic_int rounds;

static void* completes_published(void* unused)
{
    while (rounds > 0) {
        S* s = atomic_exchange(&published, NULL);

        if (s) {
            FutoInArgs none = {0};

            A(s)->success(s, &none);
        }
    }
    return unused;
}

static void publishes(S* s, void* data)
{
    (void) data;
    if (--rounds <= 0) {
        A(s)->breakLoop(s, NULL);
        return;
    }
    A(s)->waitExternal(s);
    published = s;
}

static void thread_at_any_moment(void)
{
    pthread_t other;

    rounds = 5000;
    CHECK(pthread_create(&other, NULL, completes_published, NULL) == 0);
    A(root)->loop(root, NULL, publishes, NULL);
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_run(tool, 60000) == 0);
    rounds = 0;
    pthread_join(other, NULL);
    EXPECT("");
}

/* loops */

static int turns;

static void breaks_third(S* s, void* data)
{
    (void) data;
    say("turn");
    if (++turns == 3) {
        A(s)->breakLoop(s, NULL);
    }
}

static void counts(S* s, void* data, size_t i)
{
    static const char* const names[] = {"0", "1", "2", "3"};

    (void) data;
    say(names[i]);
    if (i == 1) {
        A(s)->continueLoop(s, NULL);
    } else if (i == 2) {
        char label[8] = "INNER";

        A(s)->breakLoop(s, label);
        memset(label, 'a', 4);
    }
}

static void leaves_outer(S* s, void* data)
{
    char label[8] = "OUTER";

    (void) data;
    say("turn");
    if (++turns < 6) {
        A(s)->continueLoop(s, label);
    } else {
        A(s)->breakLoop(s, label);
    }
    memset(label, 'b', 4);
}

static void inner(S* s, void* data)
{
    char label[8] = "INNER";

    (void) data;
    A(s)->repeat(s, NULL, 4, counts, label);
    A(s)->loop(s, NULL, leaves_outer, NULL);
    memset(label, 'c', 4);
}

/* B3: labels may be gone when the loop runs, and when the code returns */
static void loops(void)
{
    char label[8] = "OUTER";

    A(root)->loop(root, NULL, breaks_third, NULL);
    A(root)->loop(root, NULL, inner, label);
    memset(label, 'd', 4);
    A(root)->add(root, "end", word, NULL);
    run();
    EXPECT("turn turn turn 0 1 2 turn 0 1 2 turn 0 1 2 turn end");
}

/* A label for which there is no memory is no missing label */

enum { HUGE_LABEL = 64 << 20 };

static char* huge_label;

static void breaks_huge(S* s, void* data)
{
    struct rlimit before, now;
    long pages = 0;
    FILE* f = fopen("/proc/self/statm", "r");

    (void) data;
    CHECK(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    now = before;
    now.rlim_cur = (rlim_t) pages * 4096 + HUGE_LABEL / 2;
    CHECK(setrlimit(RLIMIT_AS, &now) == 0);
    A(s)->breakLoop(s, huge_label);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}

static void no_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
    return; /* its malloc ends the process */
#endif
    huge_label = malloc(HUGE_LABEL);
    memset(huge_label, 'x', HUGE_LABEL - 1);
    huge_label[HUGE_LABEL - 1] = 0;
    A(root)->loop(root, NULL, breaks_huge, NULL);
    run();
    free(huge_label);
    EXPECT("unhandled InternalError");
}

/* newInstance, free, cancel (B4, C1) */

static S* child;

static void cancels(void* data)
{
    (void) data;
    A(root)->cancel(root);
    A(root)->cancel(root);
}

static void cancel(void)
{
    A(root)->add(root, "hook", waits_hooked, recovers);
    A(root)->sched_deferred(root, 1, NULL, cancels);
    run();
    EXPECT("hook"); /* no handler, nothing unhandled */
    ftngo_root_free(tool, root);
    root = ftngo_root_new(tool);
    A(root)->add(root, "never", word, NULL);
    CHECK(A(root)->sched_immediate(root, NULL, cancels).data3 != 0);
    run(); /* cancelled before its first step */
    EXPECT("hook");
}

static void frees_itself(S* s, void* data, const char* code)
{
    unhandled(s, data, code);
    A(s)->free(s);
}

static void spawns(S* s, void* data, const FutoInArgs* args)
{
    S* n = A(s)->newInstance(s);

    (void) args;
    CHECK(A(n)->isValid(n) && A(n)->rootId(n) != A(s)->rootId(s));
    A(n)->add(n, data, fails, NULL);
    A(n)->execute(n, NULL, frees_itself);
    child = A(s)->newInstance(s);
    A(child)->add(child, "hook", waits_hooked, NULL);
    A(child)->execute(child, NULL, unhandled);
    n = A(s)->newInstance(s);
    A(n)->add(n, "never", word, NULL);
    A(n)->free(n);
}

static void frees_child(void* data)
{
    (void) data;
    A(child)->free(child);
}

static void instances(void)
{
    A(root)->add(root, "Child", spawns, NULL);
    A(root)->sched_deferred(root, 50, NULL, frees_child); /* by then the child waits, on a busy machine too */
    run();
    EXPECT("returns unhandled Child hook");
}

/* Cleanups of what a freed root holds may call its table, though its pointer is as good as void. */

static void frees_again(void* memory)
{
    (void) memory;
    say("memory");
    A(root)->cancel(root);
    A(root)->free(root);
}

static void frees_again_too(void* data, void* value)
{
    (void) value;
    say(data);
    A(root)->cancel(root);
    A(root)->free(root);
}

static void* any(void* data)
{
    return data;
}

static void freed_again(void)
{
    CHECK(A(root)->stack(root, 1, frees_again));
    CHECK(A(root)->stateVariable(root, "variable", "name", any, frees_again_too));
    A(root)->free(root);
    EXPECT("variable memory");
    root = ftngo_root_new(tool);
    CHECK(A(root)->stack(root, 1, frees_again));
    A(root)->add(root, "step", word, NULL);
    run();
    A(root)->free(root);
    EXPECT("variable memory step memory");
    root = ftngo_root_new(tool);
}

/* guards */

static int inside, most;

static void leaves_later(void* data)
{
    S* s = data;

    --inside;
    A(s)->success(s, NULL);
}

static void enters(S* s, void* data, const FutoInArgs* args)
{
    (void) data;
    (void) args;
    if (++inside > most) {
        most = inside;
    }
    A(s)->waitExternal(s);
    A(s)->sched_deferred(s, 1, s, leaves_later);
}

static void in_section(S* s, void* data, const FutoInArgs* args)
{
    /* G2: the same flow again */
    A(s)->addSync(s, data, NULL, forwards, NULL);
    (void) args;
}

static void guards(void)
{
    FutoInSync* mutex = ftngo_mutex_new(2, -1);
    FutoInSync* strict = ftngo_mutex_new(1, 0);
    FutoInSync* throttle = ftngo_throttle_new(1, 5, -1);
    FutoInSync* limiter = ftngo_limiter_new(1, 0, 1, 5, 0);
    S* p = A(root)->parallel(root, NULL, caught);
    int i;

    CHECK(mutex && strict && throttle && limiter);
    CHECK(!ftngo_mutex_new(0, 0) && !ftngo_throttle_new(1, 0, 0) && !ftngo_limiter_new(0, 0, 1, 1, 0));
    for (i = 0; i < 5; ++i) {
        A(p)->addSync(p, mutex, NULL, enters, NULL);
    }
    A(root)->add(root, NULL, gives, NULL);
    A(root)->addSync(root, throttle, NULL, forwards, NULL);
    A(root)->addSync(root, throttle, NULL, forwards, NULL);
    A(root)->addSync(root, limiter, NULL, takes, NULL); /* G1: values pass */
    A(root)->addSync(root, strict, strict, in_section, NULL);
    p = A(root)->parallel(root, NULL, caught);
    A(p)->addSync(p, strict, NULL, enters, NULL);
    A(p)->addSync(p, strict, NULL, enters, caught); /* its handler covers the section only */
    run();
    CHECK(most == 2);
    EXPECT("takes DefenseRejected unhandled DefenseRejected");
    A(root)->free(root);
    root = ftngo_root_new(tool);
    A(root)->addSync(root, NULL, NULL, word, NULL);
    run();
    EXPECT("takes DefenseRejected unhandled DefenseRejected unhandled InvalidRequest");
    ftngo_sync_free(mutex);
    ftngo_sync_free(strict);
    ftngo_sync_free(throttle);
    ftngo_sync_free(limiter);
}

/* B6: layout */
static void layout(void)
{
    bool wide = sizeof(void*) == 8;

    CHECK(sizeof(FutoInBinaryValue) == (wide ? 32 : 24) && sizeof(FutoInArgs) == 4 * sizeof(FutoInBinaryValue));
    CHECK(sizeof(FutoInHandle) == 3 * sizeof(void*) && sizeof(FutoInType) == 2 * sizeof(void*));
    CHECK(offsetof(FutoInBinaryValue, custom_data) == 16);
    CHECK(offsetof(FutoInBinaryValue, length) == (wide ? 24 : 20));
    CHECK(sizeof(FutoInAsyncStepsAPI) == 25 * sizeof(void*));
    CHECK(offsetof(FutoInAsyncStepsAPI, is_same_thread) == 24 * sizeof(void*));
    CHECK(sizeof(FutoInSyncAPI) == 2 * sizeof(void*));
    CHECK((void*) A(root)->funcs[24] != NULL);
}

/* ftngo_run and ftngo_iterate */
static void turns_for_ever(S* s, void* data)
{
    (void) s;
    (void) data;
}

static void nothing(void* data) { (void) data; }

static void driving(void)
{
    static const int64_t centuries[] = {INT64_MAX, INT64_C(1) << 62, INT64_C(18446744073710)};
    S* busy = A(root)->newInstance(root);
    int i;

    for (i = 0; i < 3; ++i) {
        A(root)->sched_deferred(root, 5, NULL, nothing);
        CHECK(ftngo_run(tool, centuries[i]) == 0);
    }
    A(busy)->loop(busy, NULL, turns_for_ever, NULL);
    A(busy)->execute(busy, NULL, unhandled);
    CHECK(ftngo_run(tool, 3) == 1); /* the loop always has something to do */
    A(busy)->free(busy);
    A(root)->add(root, "hook", waits_hooked, NULL);
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_iterate(tool) == 1 && ftngo_iterate(tool) == 0);
    CHECK(ftngo_run(tool, 3) == 1); /* it waits for ever */
    CHECK(ftngo_run(tool, 0) == 1);
    EXPECT("");
    A(root)->cancel(root);
    CHECK(ftngo_run(tool, -1) == 0);
    EXPECT("hook");
}

/* ftngo_run and the like inside of a callback, and from two threads */

static void* drives(void* data)
{
    (void) data;
    CHECK(ftngo_run(tool, -1) == FTNGO_BUSY);
    CHECK(ftngo_iterate(tool) == FTNGO_BUSY);
    CHECK(ftngo_tool_free(tool) == FTNGO_BUSY);
    say("refused");
    return NULL;
}

static void drives_again(S* s, void* data, const FutoInArgs* args)
{
    pthread_t other;

    (void) s;
    (void) args;
    drives(data);
    CHECK(pthread_create(&other, NULL, drives, NULL) == 0);
    pthread_join(other, NULL);
}

static void driven_already(void)
{
    A(root)->add(root, NULL, drives_again, NULL);
    run();
    EXPECT("refused refused");
    CHECK(ftngo_run(tool, -1) == 0);
}

/* a loop that is freed cancels what runs */
static void shutdown(void)
{
    A(root)->add(root, "hook", waits_hooked, NULL);
    A(root)->execute(root, NULL, unhandled);
    ftngo_iterate(tool);
    ftngo_tool_free(tool);
    EXPECT("hook");
    ftngo_root_free(tool, root);
    tool = ftngo_tool_new();
    root = ftngo_root_new(tool);
}

/* 10^6 steps, in memory that doesn't grow */

static long resident(void)
{
    long pages = 0;
    FILE* f = fopen("/proc/self/statm", "r");

    if (f) {
        if (fscanf(f, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(f);
    }
    return pages * 4;
}

static long steps;

static void one_step(S* s, void* data, const FutoInArgs* args)
{
    FutoInArgs out;

    (void) data;
    (void) args;
    ++steps;
    memset(&out, 0, sizeof(out));
    out.arg0.type = &i32_type;
    A(s)->success(s, &out);
}

static long before, live;

static void four_steps(S* s, void* data, size_t i)
{
    int k;

    (void) data;
    if (i == 1000) {
        before = resident();
        live = (long) ftngo_live();
    }
    for (k = 0; k < 4; ++k) {
        A(s)->add(s, NULL, one_step, NULL);
    }
}

static void million(void)
{
    A(root)->repeat(root, NULL, 250000, four_steps, NULL);
    A(root)->execute(root, NULL, unhandled);
    CHECK(ftngo_run(tool, 60000) == 0);
    CHECK(steps == 1000000);
    EXPECT("");
    CHECK(ftngo_live() <= live);
    printf("resident memory: %ld KiB after 1000 turns, %ld KiB more after 250000\n",
           before, resident() - before);
    CHECK(resident() - before < 8192);
}

#define CASE(f) {#f, f}

static const struct
{
    const char* name;
    void (*f)(void);
} cases[] = {
        CASE(levels),      CASE(arguments),  CASE(dropped),
        CASE(errors),      CASE(violations), CASE(steps_in_handler),
        CASE(branches),    CASE(state),      CASE(strings_are_copied),
        CASE(stack),       CASE(timeouts),   CASE(nested_parallel),
        CASE(external),    CASE(threads),    CASE(twice_is_violation),
        CASE(loops),       CASE(cancel),     CASE(execute_twice),
        CASE(instances),   CASE(guards),     CASE(layout),
        CASE(driving),     CASE(shutdown),   CASE(million),
        CASE(driven_already), CASE(state_elsewhere), CASE(thread_at_any_moment),
        CASE(freed_again), CASE(void_variables), CASE(stack_in_cleanup),
        CASE(no_memory),
};

int main(int argc, char** argv)
{
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0) {
            continue;
        }
        trace[0] = 0;
        cleaned = turns = inside = most = 0;
        tool = ftngo_tool_new();
        root = ftngo_root_new(tool);
        cases[i].f();
        ftngo_root_free(tool, root);
        ftngo_tool_free(tool);
        if (ftngo_live() != 0) {
            printf("%s: %ld pointers are still alive\n", cases[i].name, (long) ftngo_live());
            ++failures;
        }
        if (argc == 1) {
            printf("%s: %d failures so far\n", cases[i].name, failures);
        }
    }
    return failures != 0;
}
