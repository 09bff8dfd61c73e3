/* For a machine without threads: a thread does all of its work when it is created. */
#ifndef ALONE_PTHREAD_H
#define ALONE_PTHREAD_H

#include <stddef.h>

#define pthread_t int
#define pthread_mutex_t int
#define pthread_cond_t int
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define pthread_mutex_lock(mutex) ((void) (mutex))
#define pthread_mutex_unlock(mutex) ((void) (mutex))
#define pthread_cond_wait(cond, mutex) ((void) (cond), (void) (mutex))
#define pthread_cond_signal(cond) ((void) (cond))

static inline int alone_create(int* thread, void* (*f)(void*), void* data)
{
    *thread = 1;
    f(data);
    return 0;
}

#define pthread_create(thread, attributes, f, data) alone_create((thread), (f), (data))
#define pthread_join(thread, result) ((void) (thread), 0)

#endif
