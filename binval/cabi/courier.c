/*
 * Schedules on foreign loops for those who may not do it themselves. A foreign engine
 * may take a callback from another thread only when its own thread has come round,
 * as the C++ one does; if that thread wanted a lock that the caller holds, both would
 * wait for ever. And the C++ one ends the process when it is asked for a delay of less
 * than 100 ms. So a thread of its own, which holds no lock and has a clock, calls the
 * engine. It is started by the first errand, and sleeps while there are none.
 */
#define _POSIX_C_SOURCE 200809L
#include "foreign.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#if defined(__linux__)
#define CLOCK CLOCK_MONOTONIC
#else
#define CLOCK CLOCK_REALTIME /* conditions know no other everywhere */
#endif

typedef struct errand
{
    struct errand* next;
    ftn_abroad* on;
    struct timespec due;
    uintptr_t callback;
} errand;

struct ftn_abroad
{
    FutoInAsyncSteps* own;
    int errands; /* that use own; these two are guarded by mutex */
    int closed;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t earlier; /* the first errand is another one */
static errand* first;          /* by when they are due, then by arrival */
static int started;
static int live; /* what was opened and isn't destroyed; guarded by mutex */

ftn_abroad* ftn_abroad_open(FutoInAsyncSteps* of)
{
    ftn_abroad* a = calloc(1, sizeof(*a));

    if (a) {
        a->own = of->api->newInstance(of);
        pthread_mutex_lock(&mutex);
        live++;
        pthread_mutex_unlock(&mutex);
    }
    return a;
}

static void destroy(ftn_abroad* a)
{
    if (a->own) {
        a->own->api->free(a->own);
    }
    free(a);
    pthread_mutex_lock(&mutex);
    live--;
    pthread_mutex_unlock(&mutex);
}

int ftn_abroad_live(void)
{
    int n;

    pthread_mutex_lock(&mutex);
    n = live;
    pthread_mutex_unlock(&mutex);
    return n;
}

void ftn_abroad_close(ftn_abroad* a)
{
    int busy;

    pthread_mutex_lock(&mutex);
    a->closed = 1;
    busy = a->errands > 0;
    pthread_mutex_unlock(&mutex);
    if (!busy) {
        destroy(a);
    }
}

static int before(const struct timespec* a, const struct timespec* b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void* runs_errands(void* unused)
{
    (void) unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        errand* e = first;
        struct timespec now;
        int over;

        if (!e) {
            pthread_cond_wait(&earlier, &mutex);
            continue;
        }
        clock_gettime(CLOCK, &now);
        if (before(&now, &e->due)) {
            pthread_cond_timedwait(&earlier, &mutex, &e->due);
            continue;
        }
        first = e->next;
        pthread_mutex_unlock(&mutex);
        ftn_abroad_schedule(e->on, -1, e->callback);
        pthread_mutex_lock(&mutex);
        over = --e->on->errands == 0 && e->on->closed;
        pthread_mutex_unlock(&mutex);
        if (over) {
            destroy(e->on);
        }
        free(e);
        pthread_mutex_lock(&mutex);
    }
    return NULL;
}

/* mutex is held */
static int start(void)
{
    pthread_condattr_t attr;
    pthread_t thread;

    if (started) {
        return 1;
    }
    pthread_condattr_init(&attr);
#if defined(__linux__)
    pthread_condattr_setclock(&attr, CLOCK);
#endif
    pthread_cond_init(&earlier, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&thread, NULL, runs_errands, NULL) != 0) {
        return 0;
    }
    pthread_detach(thread);
    started = 1;
    return 1;
}

int ftn_abroad_send(ftn_abroad* on, int64_t ms, uintptr_t callback)
{
    errand* e = calloc(1, sizeof(*e));
    errand** at = &first;

    if (!e) {
        return 0;
    }
    e->on = on;
    e->callback = callback;
    clock_gettime(CLOCK, &e->due);
    if (ms > 0) {
        e->due.tv_sec += ms / 1000;
        e->due.tv_nsec += (long) (ms % 1000) * 1000000;
        if (e->due.tv_nsec >= 1000000000) {
            e->due.tv_nsec -= 1000000000;
            e->due.tv_sec++;
        }
    }
    pthread_mutex_lock(&mutex);
    if (!start()) {
        pthread_mutex_unlock(&mutex);
        free(e);
        return 0;
    }
    on->errands++;
    while (*at && !before(&e->due, &(*at)->due)) {
        at = &(*at)->next;
    }
    e->next = *at;
    *at = e;
    if (at == &first) {
        pthread_cond_signal(&earlier);
    }
    pthread_mutex_unlock(&mutex);
    return 1;
}

FutoInAsyncSteps* ftn_abroad_own(ftn_abroad* a)
{
    return a->own;
}
