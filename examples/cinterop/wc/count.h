#ifndef COUNT_H
#define COUNT_H

typedef struct
{
    long lines, bytes;
} Counts;

/*
 * Counts lines and bytes of a file. It blocks, and may be ended by pthread_cancel.
 * Gives 0 or an errno.
 */
int count(const char* name, Counts* counts);

#endif
