/* For a machine without such limits: the case that needs one isn't run. */
#ifndef ALONE_RESOURCE_H
#define ALONE_RESOURCE_H

typedef unsigned long rlim_t;
struct rlimit
{
    rlim_t rlim_cur;
};
#define RLIMIT_AS 0
#define getrlimit(what, limit) ((limit)->rlim_cur = 0, 0)
#define setrlimit(what, limit) ((void) (limit), 0)

#endif
