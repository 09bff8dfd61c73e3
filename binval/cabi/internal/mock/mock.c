#define _POSIX_C_SOURCE 200809L
#include "mock.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct step step;
typedef struct run run;
typedef struct task task;
typedef struct var var;

struct step
{
    step *parent, *next, *first, *last;
    FutoInAsyncSteps_execute_callback f;
    FutoInAsyncSteps_error_callback eh;
    FutoInAsyncSteps_cancel_callback hook;
    void *data, *hook_data;
    FutoInSync* sync;
    FutoInArgs saved;
    int locked;
};

struct var
{
    var* next;
    char* name;
    void *value, *data;
    void (*cleanup)(void* data, void* value);
};

enum said
{
    NOTHING,
    SUCCESS,
    ERROR
};

struct run
{
    FutoInAsyncSteps pub;
    mock* m;
    step top;  /* its steps are the outermost level */
    step* cur; /* NULL: not executing */
    enum said said;
    int inside, waits, live, freed;
    int instance; /* made by newInstance */
    FutoInArgs args;
    char code[64], info[64];
    var* vars;
    void* data;
    FutoInAsyncSteps_error_callback unhandled;
    ptrdiff_t id;
};

struct task
{
    task* next;
    uint64_t at;
    ptrdiff_t id;
    void (*cb)(void* data);
    void* data;
};

struct mock
{
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    task *now, *later; /* later is sorted */
    uint64_t time;
    ptrdiff_t ids;
    ptrdiff_t begun; /* the last callback */
    int pending, alive, driven, misused;
    pthread_t thread;
};

static const FutoInAsyncStepsAPI table;

static ptrdiff_t push(mock* m, int64_t delay, void* data, void (*cb)(void*))
{
    task *t = calloc(1, sizeof(*t)), **at;
    ptrdiff_t id;

    pthread_mutex_lock(&m->mutex);
    t->cb = cb;
    t->data = data;
    t->id = id = ++m->ids;
    t->at = m->time + (delay > 0 ? (uint64_t) delay : 0);
    for (at = delay < 0 ? &m->now : &m->later; *at && (delay < 0 || (*at)->at <= t->at);) {
        at = &(*at)->next;
    }
    t->next = *at;
    *at = t;
    pthread_cond_broadcast(&m->cond);
    pthread_mutex_unlock(&m->mutex);
    return id;
}

static task** find(mock* m, ptrdiff_t id)
{
    task** at;

    for (at = &m->now; *at; at = &(*at)->next) {
        if ((*at)->id == id) {
            return at;
        }
    }
    for (at = &m->later; *at; at = &(*at)->next) {
        if ((*at)->id == id) {
            return at;
        }
    }
    return NULL;
}

void mock_run(mock* m)
{
    pthread_mutex_lock(&m->mutex);
    m->thread = pthread_self();
    m->driven = 1;
    for (;;) {
        task** at = m->now ? &m->now : &m->later;
        task* t = *at;

        if (t && (at == &m->now || !m->pending)) {
            *at = t->next;
            if (t->at > m->time) {
                m->time = t->at;
            }
            m->begun = t->id;
            pthread_cond_broadcast(&m->cond);
            pthread_mutex_unlock(&m->mutex);
            t->cb(t->data);
            free(t);
            pthread_mutex_lock(&m->mutex);
        } else if (m->pending) {
            pthread_cond_wait(&m->cond, &m->mutex);
        } else {
            break;
        }
    }
    m->driven = 0;
    pthread_cond_broadcast(&m->cond);
    pthread_mutex_unlock(&m->mutex);
}

void mock_pend(mock* m, int change)
{
    pthread_mutex_lock(&m->mutex);
    m->pending += change;
    pthread_cond_broadcast(&m->cond);
    pthread_mutex_unlock(&m->mutex);
}

mock* mock_new(void)
{
    mock* m = calloc(1, sizeof(*m));

    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->cond, NULL);
    return m;
}

void mock_free(mock* m)
{
    pthread_cond_destroy(&m->cond);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

int mock_alive(mock* m) { return m->alive; }
int mock_misused(mock* m) { return m->misused; }
uint64_t mock_now(mock* m) { return m->time; }

FutoInAsyncSteps* mock_root(mock* m)
{
    const FutoInAsyncStepsAPI* api = &table;
    run* r = calloc(1, sizeof(*r));

    memcpy(r, &api, sizeof(api));
    pthread_mutex_lock(&m->mutex);
    r->m = m;
    r->id = ++m->ids;
    m->alive++;
    pthread_mutex_unlock(&m->mutex);
    return &r->pub;
}

static void reset(FutoInArgs* a)
{
    int i;

    for (i = 0; i < 4; ++i) {
        futoin_reset_binval(&a->args[i]);
    }
}

static void drop_subs(step* s)
{
    while (s->first) {
        step* sub = s->first;

        s->first = sub->next;
        drop_subs(sub);
        reset(&sub->saved);
        free(sub);
    }
    s->last = NULL;
}

static void destroy(run* r)
{
    mock* m = r->m;

    while (r->vars) {
        var* v = r->vars;

        r->vars = v->next;
        if (v->cleanup) {
            v->cleanup(v->data, v->value);
        }
        free(v->name);
        free(v);
    }
    drop_subs(&r->top);
    reset(&r->args);
    free(r);
    pthread_mutex_lock(&m->mutex);
    m->alive--;
    pthread_cond_broadcast(&m->cond);
    pthread_mutex_unlock(&m->mutex);
}

static step* append(run* r)
{
    step* in = r->cur ? r->cur : &r->top;
    step* s = calloc(1, sizeof(*s));

    s->parent = in;
    if (in->last) {
        in->last->next = s;
    } else {
        in->first = s;
    }
    in->last = s;
    return s;
}

static void add(
        FutoInAsyncSteps* bsi,
        void* data,
        FutoInAsyncSteps_execute_callback f,
        FutoInAsyncSteps_error_callback eh)
{
    step* s = append((run*) bsi);

    s->f = f;
    s->eh = eh;
    s->data = data;
}

static void over(run* r)
{
    r->cur = NULL;
    r->live = 0;
    if (r->freed) {
        destroy(r);
    }
}

/* Moves on to the step after the current one. Returns 0 at the end of the run. */
static int done(run* r)
{
    for (;;) {
        step *s = r->cur, *in = s->parent;

        drop_subs(s);
        in->first = s->next;
        if (!in->first) {
            in->last = NULL;
        }
        reset(&s->saved);
        free(s);
        r->cur = in->first;
        if (r->cur) {
            return 1;
        }
        if (in == &r->top) {
            over(r);
            return 0;
        }
        r->cur = in;
    }
}

/* Leaves steps until one recovers. Returns 0 at the end of the run. */
static int unwind(run* r)
{
    for (;;) {
        step* s = r->cur;

        r->waits = 0;
        drop_subs(s);
        r->inside = 1;
        if (s->hook) {
            FutoInAsyncSteps_cancel_callback hook = s->hook;

            s->hook = NULL;
            hook(&r->pub, s->hook_data);
        }
        if (s->eh) {
            FutoInAsyncSteps_error_callback eh = s->eh;

            s->eh = NULL;
            r->said = NOTHING;
            eh(&r->pub, s->data, r->code);
        }
        r->inside = 0;
        if (r->said == SUCCESS) {
            return done(r);
        }
        if (s->parent == &r->top) {
            FutoInAsyncSteps_error_callback unhandled = r->unhandled;

            drop_subs(&r->top);
            if (unhandled) {
                unhandled(&r->pub, r->data, r->code);
            }
            over(r);
            return 0;
        }
        r->cur = s->parent;
    }
}

static void advance(void* data)
{
    run* r = data;

    for (;;) {
        step* s = r->cur;

        if (!s) {
            return;
        }
        if (!r->waits) {
            FutoInArgs in = r->args;

            memset(&r->args, 0, sizeof(r->args));
            r->said = NOTHING;
            r->inside = 1;
            s->f(&r->pub, s->data, &in);
            r->inside = 0;
        }
        if (r->said == NOTHING && !s->first && r->waits) {
            return;
        }
        r->waits = 0;
        if (r->said == ERROR) {
            if (!unwind(r)) {
                return;
            }
        } else if (r->said == NOTHING && s->first) {
            r->cur = s->first;
        } else if (!done(r)) {
            return;
        }
    }
}

static void* state_variable(
        FutoInAsyncSteps* bsi,
        void* data,
        const char* name,
        void* (*allocate)(void* data),
        void (*cleanup)(void* data, void* value))
{
    run* r = (run*) bsi;
    var* v;

    for (v = r->vars; v; v = v->next) {
        if (strcmp(v->name, name) == 0) {
            return v->value;
        }
    }
    v = calloc(1, sizeof(*v));
    v->name = strdup(name);
    v->data = data;
    v->cleanup = cleanup;
    v->value = allocate(data);
    v->next = r->vars;
    r->vars = v;
    return v->value;
}

static void say(run* r, enum said said)
{
    r->said = said;
    if (!r->inside && r->cur) {
        push(r->m, -1, r, advance);
    }
}

static void success(FutoInAsyncSteps* bsi, FutoInArgs* args)
{
    run* r = (run*) bsi;

    if (!args) {
        r->m->misused++; /* we never pass NULL (B1) */
    } else {
        FutoInArgs taken = *args;

        memset(args, 0, sizeof(*args));
        reset(&r->args);
        r->args = taken;
    }
    say(r, SUCCESS);
}

static void handle_error(FutoInAsyncSteps* bsi, const char* code, const char* info)
{
    run* r = (run*) bsi;

    strncpy(r->code, code, sizeof(r->code) - 1);
    memset(r->info, 0, sizeof(r->info));
    strncpy(r->info, info ? info : "", sizeof(r->info) - 1);
    say(r, ERROR);
}

static void set_cancel(FutoInAsyncSteps* bsi, void* data, FutoInAsyncSteps_cancel_callback ch)
{
    run* r = (run*) bsi;

    r->cur->hook = ch;
    r->cur->hook_data = data;
    r->waits = 1;
}

static void wait_external(FutoInAsyncSteps* bsi) { ((run*) bsi)->waits = 1; }

static void execute(
        FutoInAsyncSteps* bsi, void* data, FutoInAsyncSteps_error_callback unhandled)
{
    run* r = (run*) bsi;

    r->data = data;
    r->unhandled = unhandled;
    r->live = 1;
    r->cur = r->top.first;
    if (r->cur) {
        push(r->m, -1, r, advance);
    } else {
        over(r);
    }
}

static void cancel_now(void* data)
{
    run* r = data;

    while (r->cur) {
        step* s = r->cur;

        drop_subs(s);
        r->inside = 1;
        if (s->hook) {
            s->hook(&r->pub, s->hook_data);
        }
        r->inside = 0;
        r->cur = s->parent == &r->top ? NULL : s->parent;
    }
    drop_subs(&r->top);
    over(r);
}

static void cancel(FutoInAsyncSteps* bsi)
{
    run* r = (run*) bsi;

    if (r->live) {
        push(r->m, -1, r, cancel_now);
    }
}

static int is_same_thread(FutoInAsyncSteps* bsi)
{
    mock* m = ((run*) bsi)->m;
    int same;

    pthread_mutex_lock(&m->mutex);
    same = m->driven && pthread_equal(m->thread, pthread_self());
    pthread_mutex_unlock(&m->mutex);
    return same;
}

static void release(FutoInAsyncSteps* bsi)
{
    run* r = (run*) bsi;

    if (r->instance && !is_same_thread(bsi)) {
        r->m->misused++; /* the engine might have been ended meanwhile */
    }
    r->freed = 1;
    if (r->live) {
        cancel(bsi);
    } else {
        destroy(r);
    }
}

/* addSync adds a step with three sub-steps: lock, the section, and unlock. */

static void lock_step(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    step* s = data;

    (void) args;
    s->sync->api->lock(bsi, s->sync);
}

static void section_step(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    step* s = ((step*) data)->parent;
    step* in = data;
    FutoInArgs given = s->saved;

    (void) args;
    s->locked = 1;
    memset(&s->saved, 0, sizeof(given));
    in->data = in->saved.arg0.custom_data; /* what its handler gets */
    ((FutoInAsyncSteps_execute_callback) s->data)(bsi, in->data, &given);
}

static void unlock_step(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    step* s = data;

    s->locked = 0;
    s->sync->api->unlock(bsi, s->sync);
    success(bsi, (FutoInArgs*) args);
}

static void sync_cancelled(FutoInAsyncSteps* bsi, void* data)
{
    step* s = data;

    if (s->locked) {
        s->locked = 0;
        s->sync->api->unlock(bsi, s->sync);
    }
}

typedef struct section
{
    void* data;
    FutoInAsyncSteps_execute_callback f;
    FutoInAsyncSteps_error_callback eh;
    FutoInSync* sync;
} section;

static void sync_step(FutoInAsyncSteps* bsi, void* data, const FutoInArgs* args)
{
    run* r = (run*) bsi;
    step* s = r->cur;
    section* given = data;
    step* in;

    s->sync = given->sync;
    s->saved = *args;
    add(bsi, s, lock_step, NULL);
    add(bsi, NULL, section_step, given->eh);
    in = s->last;
    in->saved.arg0.custom_data = given->data;
    s->data = (void*) given->f;
    in->data = in;
    add(bsi, s, unlock_step, NULL);
    s->hook = sync_cancelled;
    s->hook_data = s;
    free(given);
}

static void add_sync(
        FutoInAsyncSteps* bsi,
        FutoInSync* sync,
        void* data,
        FutoInAsyncSteps_execute_callback f,
        FutoInAsyncSteps_error_callback eh)
{
    section* given = calloc(1, sizeof(*given));

    given->data = data;
    given->f = f;
    given->eh = eh;
    given->sync = sync;
    add(bsi, given, sync_step, NULL);
}

static ptrdiff_t root_id(FutoInAsyncSteps* bsi) { return ((run*) bsi)->id; }

static int is_valid(FutoInAsyncSteps* bsi)
{
    (void) bsi;
    return 1;
}

static FutoInAsyncSteps* new_instance(FutoInAsyncSteps* bsi)
{
    run* r = (run*) bsi;

    FutoInAsyncSteps* made = mock_root(r->m);

    if (r->cur && !r->inside) {
        r->m->misused++; /* in other engines the pointer is that of a step, which has ended */
    }
    if (!is_same_thread(bsi)) {
        r->m->misused++; /* other engines allocate only on the thread of their loop */
    }
    ((run*) made)->instance = 1;
    return made;
}

/* Makes calls by other threads wait until the loop has come round. */
static void comes_round(mock* m, ptrdiff_t id)
{
    int i;

    pthread_mutex_lock(&m->mutex);
    while (m->driven && m->begun < id) {
        pthread_cond_wait(&m->cond, &m->mutex);
    }
    pthread_mutex_unlock(&m->mutex);
    for (i = 0; i < 1000; ++i) {
        sched_yield();
    }
}

static FutoInHandle sched_immediate(FutoInAsyncSteps* bsi, void* data, void (*cb)(void*))
{
    mock* m = ((run*) bsi)->m;
    FutoInHandle h = {bsi, NULL, 0};

    h.data3 = push(m, -1, data, cb);
    if (!is_same_thread(bsi)) {
        comes_round(m, h.data3);
    }
    return h;
}

static FutoInHandle sched_deferred(
        FutoInAsyncSteps* bsi, uint32_t delay_ms, void* data, void (*cb)(void*))
{
    FutoInHandle h = {bsi, NULL, 0};

    if (delay_ms < 100) {
        ((run*) bsi)->m->misused++; /* the C++ engine ends the process */
    }
    h.data3 = push(((run*) bsi)->m, delay_ms, data, cb);
    return h;
}

static void sched_cancel(FutoInAsyncSteps* bsi, FutoInHandle* h)
{
    mock* m = ((run*) bsi)->m;
    task** at;

    pthread_mutex_lock(&m->mutex);
    at = find(m, h->data3);
    if (at) {
        task* t = *at;

        *at = t->next;
        free(t);
    }
    pthread_mutex_unlock(&m->mutex);
}

static int sched_is_valid(FutoInAsyncSteps* bsi, FutoInHandle* h)
{
    mock* m = ((run*) bsi)->m;
    int found;

    pthread_mutex_lock(&m->mutex);
    found = find(m, h->data3) != NULL;
    pthread_mutex_unlock(&m->mutex);
    return found;
}

static const FutoInAsyncStepsAPI table = {{{
        .add = add,
        .stateVariable = state_variable,
        .success = success,
        .handle_error = handle_error,
        .setCancel = set_cancel,
        .waitExternal = wait_external,
        .execute = execute,
        .cancel = cancel,
        .addSync = add_sync,
        .rootId = root_id,
        .isValid = is_valid,
        .newInstance = new_instance,
        .free = release,
        .sched_immediate = sched_immediate,
        .sched_deferred = sched_deferred,
        .sched_cancel = sched_cancel,
        .sched_is_valid = sched_is_valid,
        .is_same_thread = is_same_thread,
}}};


typedef struct waiter
{
    struct waiter* next;
    FutoInAsyncSteps* bsi;
    struct mutex* m;
} waiter;

typedef struct mutex
{
    FutoInSync pub;
    int locked;
    waiter* queue;
} mutex;

static void withdrawn(FutoInAsyncSteps* bsi, void* data)
{
    waiter *w = data, **at;

    (void) bsi;
    for (at = &w->m->queue; *at != w; at = &(*at)->next) {
    }
    *at = w->next;
    free(w);
}

static void mutex_lock(FutoInAsyncSteps* bsi, FutoInSync* sync)
{
    mutex* m = (mutex*) sync;
    waiter *w, **at;

    if (!m->locked) {
        m->locked = 1;
        return;
    }
    w = calloc(1, sizeof(*w));
    w->bsi = bsi;
    w->m = m;
    for (at = &m->queue; *at; at = &(*at)->next) {
    }
    *at = w;
    bsi->api->setCancel(bsi, w, withdrawn);
}

static void mutex_unlock(FutoInAsyncSteps* bsi, FutoInSync* sync)
{
    mutex* m = (mutex*) sync;
    waiter* w = m->queue;
    FutoInArgs none = {0};

    (void) bsi;
    if (!w) {
        m->locked = 0;
        return;
    }
    m->queue = w->next;
    w->bsi->api->success(w->bsi, &none);
    free(w);
}

static const FutoInSyncAPI mutex_table = {{{mutex_lock, mutex_unlock}}};

FutoInSync* mock_mutex(void)
{
    const FutoInSyncAPI* api = &mutex_table;
    mutex* m = calloc(1, sizeof(*m));

    memcpy(m, &api, sizeof(api));
    return &m->pub;
}

int mock_mutex_queued(FutoInSync* s)
{
    waiter* w = ((mutex*) s)->queue;
    int n = 0;

    for (; w; w = w->next) {
        ++n;
    }
    return n;
}

int mock_mutex_locked(FutoInSync* s) { return ((mutex*) s)->locked; }

int mock_is_ours(FutoInAsyncSteps* bsi) { return bsi->api == &table; }
const char* mock_info(FutoInAsyncSteps* bsi) { return ((run*) bsi)->info; }
