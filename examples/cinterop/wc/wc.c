/*
 * Counts lines and bytes of files: each in a step that waits for a thread, at
 * most four at a time, each for at most ten seconds.
 *
 *     ┌ file ┐
 *     ┼ file ┼ print
 *     └ file ┘
 *
 * A file that can't be counted is reported and left out; the exit status is 1 then.
 */
#include "file.h"

#include <stdio.h>
#include <stdlib.h>

/* The data of the run. */
typedef struct
{
    File* files;
    int count;
    bool failed;
} Job;

/* The last step. */
static void print(FutoInAsyncSteps* as, void* data, const FutoInArgs* args)
{
    Job* job = data;
    Counts total = {0, 0};
    int i;

    (void) as;
    (void) args;
    for (i = 0; i < job->count; ++i) {
        const File* f = &job->files[i];

        if (f->failed) {
            job->failed = true;
            continue;
        }
        printf("%8ld %8ld %s\n", f->counts.lines, f->counts.bytes, f->name);
        total.lines += f->counts.lines;
        total.bytes += f->counts.bytes;
    }
    printf("%8ld %8ld total\n", total.lines, total.bytes);
}

static void unhandled(FutoInAsyncSteps* as, void* data, const char* code)
{
    (void) as;
    fprintf(stderr, "wc: %s\n", code);
    ((Job*) data)->failed = true;
}

int main(int argc, char** argv)
{
    Job job = {calloc((size_t) argc, sizeof(File)), argc - 1, false};
    ftngo_tool* tool = ftngo_tool_new();
    FutoInSync* four = ftngo_mutex_new(4, -1);
    FutoInAsyncSteps* root = ftngo_root_new(tool);
    FutoInAsyncSteps* all = root->api->parallel(root, NULL, NULL);
    int i;

    if (!job.files) {
        return 1;
    }
    for (i = 0; i < job.count; ++i) {
        job.files[i].name = argv[i + 1];
        all->api->addSync(all, four, &job.files[i], file_start, file_failed);
    }
    root->api->add(root, &job, print, NULL);
    root->api->execute(root, &job, unhandled);
    ftngo_run(tool, -1);

    for (i = 0; i < job.count; ++i) {
        file_end(&job.files[i]);
    }
    ftngo_root_free(tool, root);
    ftngo_sync_free(four);
    ftngo_tool_free(tool);
    free(job.files);
    return job.failed;
}
