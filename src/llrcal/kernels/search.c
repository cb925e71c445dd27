#include "search.h"

PART void each(Scores block, int single, ptrdiff_t step, Grid grid, double low, double high,
               double *held, uint32_t *slot) {
    for (int64_t i = 0; i < block.count; i++) {
        double s = score(block.first + i * step, single);
        s = s > low ? s : low;
        held[i] = s < high ? s : high;
        slot[i] = slot_of(&grid, held[i]);
    }
}

KERNEL void locate(Scores block, const Grid *grid, double low, double high, double *held,
                   uint32_t *slot) {
#define CALL(single, step) each(block, single, step, *grid, low, high, held, slot)
    FOR_EACH_KIND(&block, CALL);
#undef CALL
}
