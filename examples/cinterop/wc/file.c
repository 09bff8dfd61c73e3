#include "file.h"

#include <stdio.h>
#include <string.h>

#ifndef LIMIT_MS
#define LIMIT_MS 10000
#endif

/* The thread: blocking code that in the end completes the step. */
static void* work(void* data)
{
    File* f = data;
    int err = count(f->name, &f->counts);

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* not inside of the engine */
    if (err) {
        f->as->api->handle_error(f->as, "CantRead", strerror(err));
    } else {
        f->as->api->success(f->as, NULL);
    }
    return NULL;
}

/* Ends the thread, if its step is left without success. */
static void stop(FutoInAsyncSteps* as, void* data)
{
    File* f = data;

    (void) as;
    if (f->started) {
        pthread_cancel(f->thread);
    }
}

/*
 * While the step waits, the loop runs other steps. waitExternal comes before
 * pthread_create, because the thread may complete the step at once.
 */
void file_start(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    File* f = data;

    (void) args;
    f->as = as;
    as->api->setTimeout(as, LIMIT_MS);
    as->api->setCancel(as, f, stop);
    as->api->waitExternal(as);
    f->started = pthread_create(&f->thread, NULL, work, f) == 0;
    if (!f->started) {
        as->api->handle_error(as, "NoThread", "too many");
    }
}

/* It succeeds, so that the error doesn't end the other files. */
void file_failed(FutoInAsyncSteps* as, void* data, const char* code)
{
    File* f = data;
    const char* info = as->api->stateVariable(as, NULL, "error_info", NULL, NULL);

    fprintf(stderr, "wc: %s: %s: %s\n", f->name, code, info);
    f->failed = true;
    as->api->success(as, NULL);
}

void file_end(File* f)
{
    if (f->started) {
        pthread_join(f->thread, NULL);
    }
}
