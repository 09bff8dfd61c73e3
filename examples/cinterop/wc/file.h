#ifndef FILE_H
#define FILE_H

#include "count.h"
#include "ftngo.h"

#include <pthread.h>

/* A file to count. */
typedef struct
{
    const char* name;
    Counts counts;
    bool failed;
    FutoInAsyncSteps* as; /* the step that waits for the thread */
    pthread_t thread;
    bool started;
} File;

/* The step of a file: its code and its error handler. The data is the File. */
void file_start(FutoInAsyncSteps* as, void* data, const FutoInArgs* args);
void file_failed(FutoInAsyncSteps* as, void* data, const char* code);

/* Waits for the thread of the step to end. Call it after the run. */
void file_end(File* f);

#endif
