/* What the test programs share: a check that says where it failed, and a trace. */
#ifndef RIG_H
#define RIG_H

#include "ftngo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(cond)                                                          \
    do {                                                                     \
        if (!(cond)) {                                                       \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);      \
            ++failures;                                                      \
        }                                                                    \
    } while (0)

/* What happened, a letter or word each, in order. */
static char trace[4096];

static void say(const char* word)
{
    if (strlen(trace) + strlen(word) + 2 < sizeof(trace)) {
        if (trace[0]) {
            strcat(trace, " ");
        }
        strcat(trace, word);
    }
}

#define EXPECT(text)                                                         \
    do {                                                                     \
        if (strcmp(trace, (text)) != 0) {                                    \
            printf("%s:%d: got \"%s\", want \"%s\"\n", __FILE__, __LINE__,   \
                   trace, (text));                                           \
            ++failures;                                                      \
        }                                                                    \
    } while (0)

#endif
