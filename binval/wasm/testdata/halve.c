#include "futoin_guest.h"

FUTOIN_STEP(halve)
{
    int32_t n = futoin_int32(args, 0);

    (void) data;
    if (n % 2) {
        futoin_fail(as, "OddNumber", "can't be halved");
        return;
    }
    futoin_give_int32(as, n / 2);
}
