#include "private.h"
#include "_cgo_export.h"

#include <stdlib.h>
#include <string.h>

_Thread_local ftn_running ftn_here FTN_NEAR;
ftn_lane ftn_lanes[FTN_LANES];

/* The last place is kept for FTN_NO_MEMORY. */
ftn_note* ftn_note_new(ftn_steps* s, uint32_t op)
{
    if (s->count + 1 >= s->room) {
        size_t room = s->room ? s->room * 2 : 8;
        ftn_note* grown = realloc(s->notes, room * sizeof(*grown));

        if (!grown) {
            if (s->room > s->count) {
                memset(&s->notes[s->count], 0, sizeof(ftn_note));
                s->notes[s->count++].op = FTN_NO_MEMORY;
            }
            return NULL;
        }
        s->notes = grown;
        s->room = room;
    }
    memset(&s->notes[s->count], 0, sizeof(ftn_note));
    s->notes[s->count].op = op;
    return &s->notes[s->count++];
}

void ftn_misuse(ftn_steps* s, size_t index)
{
    ftn_note* n;

    if (!ftn_here.current) {
        ftngoMisuse(s->peer, index); /* no code of a step to blame */
        return;
    }
    n = ftn_note_new(ftn_here.current, FTN_MISUSE);
    if (n) {
        n->count = index;
    }
}

bool ftn_runs(ftn_steps* s)
{
    uint32_t over = FTN_OVER;

    switch (LOAD(s->phase)) {
    case FTN_OVER: /* the steps of another run; unless another thread frees the root */
        if (!__atomic_compare_exchange_n(
                    &s->phase, &over, FTN_BUILDING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
            over != FTN_BUILDING) {
            return false;
        }
        /* fall through */
    case FTN_BUILDING:
        return LOAD(s->thread) == NULL || LOAD(s->thread) == &ftn_here;
    case FTN_EXECUTING:
        return LOAD(s->thread) == &ftn_here;
    default:
        return false;
    }
}

bool ftn_completes(ftn_steps* s)
{
    uint32_t phase = LOAD(s->phase);

    return phase == FTN_GOING || phase == FTN_EXECUTING || phase == FTN_OVER;
}

ftn_note* ftn_record(FutoInAsyncSteps* bsi, uint32_t op, size_t index)
{
    ftn_steps* s = (ftn_steps*) bsi;

    if (!ftn_runs(s)) {
        ftn_misuse(s, index);
        return NULL;
    }
    return ftn_note_new(s, op);
}
