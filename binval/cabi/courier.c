/*
 * Schedules on foreign loops for callers that may not do it themselves. A foreign engine may
 * take a callback from another thread only when its own thread has come round, as the C++
 * one does; if that thread wanted a lock that the caller holds, both would wait for ever. And
 * the C++ one ends the process when it is asked for a delay of less than 100 ms. So a separate
 * thread, the courier, which holds no lock and has a clock, calls the engine. The first errand
 * starts it, and it sleeps while there are none.
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

/*
 * The engine may be ended as soon as its loop has nothing left to do. So an instance is freed
 * on that loop, and not by the courier: by ftn_abroad_close, or by the last errand that
 * arrives after it. Both wait until the courier has come out of the engine, which
 * needs nothing more of the loop by then.
 */
struct ftn_abroad
{
    FutoInAsyncSteps* own;
    /* mutex guards these. */
    int errands; /* that haven't arrived on the loop */
    int calling; /* the courier is inside of the engine */
    int closed;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t earlier; /* an errand has become the first */
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER; /* the courier has left an engine */
static errand* first; /* of the list, which is sorted by due, then by the order of the calls */
static int started;

ftn_abroad* ftn_abroad_open(FutoInAsyncSteps* of)
{
    ftn_abroad* a = calloc(1, sizeof(*a));

    if (a && !(a->own = of->api->newInstance(of))) {
        free(a);
        return NULL;
    }
    return a;
}

/* Frees the instance, on its loop. It is called with mutex held, and releases it. */
static void destroy(ftn_abroad* a)
{
    while (a->calling) {
        pthread_cond_wait(&returned, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    a->own->api->free(a->own);
    free(a);
}

void ftn_abroad_close(ftn_abroad* a)
{
    pthread_mutex_lock(&mutex);
    a->closed = 1;
    if (a->errands == 0) {
        destroy(a);
    } else {
        pthread_mutex_unlock(&mutex);
    }
}

static void arrives(void* data)
{
    errand* e = data;
    ftn_abroad* on = e->on;

    ftn_abroad_arrived(e->callback);
    free(e);
    pthread_mutex_lock(&mutex);
    if (--on->errands == 0 && on->closed) {
        destroy(on);
    } else {
        pthread_mutex_unlock(&mutex);
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
        ftn_abroad* on;
        struct timespec now;

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
        on = e->on; /* e is gone when it has arrived */
        on->calling = 1;
        pthread_mutex_unlock(&mutex);
        on->own->api->sched_immediate(on->own, e, arrives);
        pthread_mutex_lock(&mutex);
        on->calling = 0;
        pthread_cond_broadcast(&returned);
    }
    return NULL;
}

/* Starts the courier, if it isn't running. mutex is held. */
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
        pthread_cond_destroy(&earlier); /* the next errand tries again */
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

int ftn_abroad_recall(ftn_abroad* on, uintptr_t callback)
{
    errand** at = &first;
    errand* e;

    pthread_mutex_lock(&mutex);
    while (*at && ((*at)->on != on || (*at)->callback != callback)) {
        at = &(*at)->next;
    }
    e = *at;
    if (e) {
        *at = e->next;
        on->errands--; /* on isn't closed, because the caller uses it */
    }
    pthread_mutex_unlock(&mutex);
    free(e);
    return e != NULL;
}

FutoInAsyncSteps* ftn_abroad_own(ftn_abroad* a)
{
    return a->own;
}
