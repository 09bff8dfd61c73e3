/*
 * A root that has ended is used again (B12). Its variables are given to any thread at any
 * time (B7). A step that waits is left by break and continue from outside (B13).
 */
#include "scene.h"

static void fails(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    A(s)->handle_error(s, data, NULL);
}

static void run(void)
{
    A(root)->execute(root, NULL, caught);
    CHECK(ftngo_run(tool, 20000) == 0);
}

static void* itself(void* data) { return data; }

static void cleaned(void* data, void* value)
{
    CHECK(data == value);
    say("cleaned");
}

static void memory(void* unused)
{
    (void) unused;
    say("memory");
}

static void uses_state(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    say(A(s)->stateVariable(s, data, "key", itself, cleaned));
}

/* again */

static void executes_again(S* s, void* data, const char* code)
{
    CHECK(A(s)->isValid(s));
    A(s)->add(s, data, word, NULL);
    A(s)->execute(s, NULL, caught);
    CHECK(!A(s)->isValid(s));
    say(code); /* is what it was */
}

static void again(void)
{
    ptrdiff_t id = A(root)->rootId(root);
    int i;

    for (i = 0; i < 3; ++i) {
        A(root)->add(root, i ? "other" : "first", uses_state, NULL);
        A(root)->add(root, "step", word, NULL);
        run();
    }
    CHECK(A(root)->isValid(root) && A(root)->rootId(root) == id);
    EXPECT("first step first step first step"); /* the variable stays */
    run();                                      /* without a step */
    A(root)->add(root, "Code", fails, NULL);
    A(root)->execute(root, "again", executes_again);
    CHECK(ftngo_run(tool, 20000) == 0);
    EXPECT("first step first step first step Code again");
    trace[0] = 0;
    ftngo_root_free(tool, root);
    EXPECT("cleaned");
    root = ftngo_root_new(tool);
}

/* unused */

static void unused(void)
{
    int i;

    for (i = 0; i < 4; ++i) { /* after each kind of end of a run: with something to clean up, and without */
        trace[0] = 0;
        if (i & 1) {
            A(root)->stateVariable(root, "value", "key", itself, cleaned);
        }
        A(root)->add(root, i & 2 ? "Code" : "step", i & 2 ? fails : word, NULL);
        run();
        CHECK(A(root)->stack(root, 1, memory));
        A(root)->add(root, "never", word, NULL);
        A(root)->parallel(root, NULL, NULL);
        A(root)->loop(root, NULL, NULL, "never");
        ftngo_root_free(tool, root);
        EXPECT(i == 0 ? "step memory" : i == 1 ? "step cleaned memory" : i == 2 ? "Code memory" : "Code cleaned memory");
        CHECK(ftngo_live() == 0);
        root = ftngo_root_new(tool);
    }
}

/* unexecuted */

static void adds_branches(S* s, void* data, const char* code)
{
    S* p = A(s)->parallel(s, NULL, NULL);

    CHECK(A(p)->stack(p, 1, memory));
    A(p)->add(p, data, word, NULL);
    say(code);
}

/* unhandled_error has added steps that are not executed: free cleans them up at once */
static void unexecuted(void)
{
    A(root)->add(root, "Code", fails, NULL);
    A(root)->execute(root, "never", adds_branches);
    CHECK(ftngo_run(tool, 20000) == 0);
    ftngo_root_free(tool, root);
    EXPECT("Code memory");
    root = ftngo_root_new(tool);
}

/* instances */

static void frees_again(S* s, void* data, const char* code)
{
    A(s)->execute(s, data, caught);
    say(code);
    A(s)->free(s); /* before its second run has begun */
}

static void instances(void)
{
    int i;

    for (i = 0; i < 500; ++i) {
        S* s = A(root)->newInstance(root);

        A(s)->add(s, "a", word, NULL);
        A(s)->execute(s, NULL, caught);
        CHECK(ftngo_run(tool, 20000) == 0);
        if (i % 2) {
            CHECK(A(s)->isValid(s));
        }
        A(s)->add(s, "Code", fails, NULL);
        A(s)->execute(s, NULL, frees_again);
        if (i % 3) {
            CHECK(ftngo_run(tool, 20000) == 0);
            EXPECT("a Code");
        } else {
            A(s)->cancel(s);
            CHECK(ftngo_run(tool, 20000) == 0);
            EXPECT("a");
            A(s)->free(s);
        }
        CHECK(ftngo_live() == 1);
        trace[0] = 0;
    }
}

/* any_time */

static struct
{
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int asking, over;
} asker = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void* asks_on(void* value)
{
    int over = 0;

    while (!over) {
        CHECK(A(root)->stateVariable(root, "another", "key", itself, cleaned) == value);
        pthread_mutex_lock(&asker.mutex);
        asker.asking = 1;
        over = asker.over;
        pthread_cond_signal(&asker.changed);
        pthread_mutex_unlock(&asker.mutex);
    }
    return NULL;
}

static void makes_another(S* s, void* data, const FutoInArgs* args)
{
    char name[20];

    (void) args;
    snprintf(name, sizeof(name), "key %d", *(int*) data);
    CHECK(A(s)->stateVariable(s, data, name, itself, NULL) == data);
}

static void any_time(void)
{
    static int numbers[1000];
    pthread_t thread;
    int i;

    A(root)->stateVariable(root, "value", "key", itself, NULL);
    CHECK(pthread_create(&thread, NULL, asks_on, "value") == 0);
    pthread_mutex_lock(&asker.mutex);
    while (!asker.asking) {
        pthread_cond_wait(&asker.changed, &asker.mutex);
    }
    pthread_mutex_unlock(&asker.mutex);
    for (i = 0; i < 1000; ++i) {
        numbers[i] = i;
        A(root)->add(root, &numbers[i], makes_another, NULL);
        run();
    }
    pthread_mutex_lock(&asker.mutex);
    asker.over = 1;
    pthread_mutex_unlock(&asker.mutex);
    CHECK(pthread_join(thread, NULL) == 0);
    EXPECT("");
}

/* last_step */

static void* asks(void* unused_too)
{
    (void) unused_too;
    say(A(root)->stateVariable(root, NULL, "key", NULL, NULL));
    return NULL;
}

static void asked_at_the_end(void* unused_too)
{
    (void) unused_too;
    elsewhere(asks, NULL);
}

static void asked_meanwhile(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    uses_state(s, data, args);
    elsewhere(asks, NULL);
    CHECK(A(s)->stack(s, 1, asked_at_the_end)); /* runs when the last step is over, and the run isn't */
}

static void last_step(void)
{
    A(root)->add(root, "value", asked_meanwhile, NULL);
    run();
    elsewhere(asks, NULL);
    EXPECT("value value value value");
    trace[0] = 0;
    ftngo_root_free(tool, root);
    EXPECT("cleaned");
    root = ftngo_root_new(tool);
}

/* same_variable */

static void* makes_first(void* unused_too)
{
    (void) unused_too;
    A(root)->stateVariable(root, "first", "key", itself, cleaned);
    return NULL;
}

static void* makes_late(void* data)
{
    elsewhere(makes_first, NULL); /* while this one is being made */
    return data;
}

static void same_variable(void)
{
    say(A(root)->stateVariable(root, "late", "key", makes_late, cleaned));
    EXPECT("cleaned first");
    ftngo_root_free(tool, root);
    EXPECT("cleaned first cleaned");
    root = ftngo_root_new(tool);
}

/* late_words */

static S* waiting;
static int turns, there; /* there: another thread says it */

static void hook(S* s, void* data)
{
    (void) s;
    say(data);
}

static void never(S* s, void* data, const char* code)
{
    (void) s;
    (void) data;
    say("a handler:");
    say(code);
}

static void waits(S* s, void* data, const FutoInArgs* args)
{
    (void) args;
    waiting = s;
    A(s)->setCancel(s, data, hook);
}

static void* says_words(void* unused_too)
{
    char label[] = "OUTER"; /* is copied */

    (void) unused_too;
    if (turns < 3) {
        A(waiting)->continueLoop(waiting, label);
        A(waiting)->breakLoop(waiting, label); /* too late */
    } else {
        A(waiting)->breakLoop(waiting, label);
        A(waiting)->continueLoop(waiting, NULL); /* too late */
    }
    CHECK(!A(waiting)->isValid(waiting));
    memset(label, 'x', sizeof(label) - 1);
    return NULL;
}

static void says_on(void* data)
{
    if (there) {
        elsewhere(says_words, data);
    } else {
        says_words(data);
    }
}

static void inner(S* s, void* data)
{
    (void) data;
    ++turns;
    A(s)->add(s, "hook", waits, never);
    A(s)->add(s, "never", word, NULL);
    A(s)->sched_deferred(s, 1, NULL, says_on);
}

static void outer(S* s, void* data) { A(s)->loop(s, data, inner, "INNER"); }

static void* breaks_inner(void* s)
{
    A((S*) s)->breakLoop(s, NULL);
    return NULL;
}

/* The code of the step hasn't returned yet */
static void waits_too_late(S* s, void* data)
{
    (void) data;
    A(s)->waitExternal(s);
    elsewhere(breaks_inner, s);
}

static void late_words(void)
{
    for (there = 0; there < 2; ++there) {
        turns = 0;
        A(root)->loop(root, NULL, outer, "OUTER");
        A(root)->loop(root, NULL, waits_too_late, NULL);
        A(root)->add(root, "after", word, NULL);
        run();
    }
    EXPECT("hook hook hook after hook hook hook after");
}

/* void_words */

static void waits_no_more(S* s, void* data)
{
    (void) data;
    waiting = s;
    A(s)->add(s, "before", word, NULL);
    elsewhere(says_words, NULL); /* it doesn't wait, nor will it */
    A(s)->add(s, "Code", fails, NULL);
}

static void void_words(void)
{
    A(root)->loop(root, NULL, waits_no_more, "OUTER");
    run();
    EXPECT("before Code");
    trace[0] = 0;
    waiting = root;
    A(root)->add(root, "step", word, NULL);
    A(root)->execute(root, NULL, caught);
    says_words(NULL); /* for a root that executes */
    CHECK(ftngo_run(tool, 20000) == 0);
    EXPECT("step");
}

static const struct
{
    const char* name;
    void (*f)(void);
} cases[] = {
        {"again", again},
        {"unused", unused},
        {"unexecuted", unexecuted},
        {"instances", instances},
        {"any_time", any_time},
        {"last_step", last_step},
        {"same_variable", same_variable},
        {"late_words", late_words},
        {"void_words", void_words},
};

int main(int argc, char** argv)
{
    int ran = 0;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0) {
            continue;
        }
        ++ran;
        trace[0] = 0;
        tool = ftngo_tool_new();
        root = ftngo_root_new(tool);
        cases[i].f();
        ftngo_root_free(tool, root);
        ftngo_tool_free(tool);
        CHECK(ftngo_live() == 0);
    }
    CHECK(ran); /* there is a case of that name */
    return failures != 0;
}
