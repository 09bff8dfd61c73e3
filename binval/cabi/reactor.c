#include "private.h"
#include "_cgo_export.h"

#include <string.h>

/*
 * The Handle of the C++ API asks and cancels through data2, as an object of its class
 * IAsyncTool, unless data1 is NULL. This is such an object for handles of all loops. The layout
 * is that of the C++ ABI which compilers other than Microsoft's share: destructors, six
 * functions that a Handle doesn't call, cancel, is_valid.
 */
static void reactor_destroy(void* self) { (void) self; }

static void reactor_cancel(void* self, FutoInHandle* handle)
{
    (void) self;
    ftngoSchedCancel(handle->data3);
    memset(handle, 0, sizeof(*handle));
}

static bool reactor_is_valid(void* self, FutoInHandle* handle)
{
    (void) self;
    return ftngoSchedValid(handle->data3);
}

typedef void (*method)(void);

static const struct
{
    ptrdiff_t offset;
    const void* type;
    method methods[10];
} reactor_class = {
        0,
        NULL,
        {(method) reactor_destroy, (method) reactor_destroy, NULL, NULL, NULL, NULL, NULL, NULL,
         (method) reactor_cancel, (method) reactor_is_valid},
};

static const method* reactor = reactor_class.methods;

FutoInHandle ftn_handle(ptrdiff_t number)
{
    FutoInHandle h = {NULL, NULL, 0};

    if (number) {
        h.data1 = h.data2 = &reactor;
        h.data3 = number;
    }
    return h;
}
