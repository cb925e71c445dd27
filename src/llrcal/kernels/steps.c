#include "kernels.h"
#include "search.h"

PART void each(const Index *index, int rounds, const double *scores, const uint32_t *slot,
               int64_t count, const double *values, double *out) {
    for (int64_t i = 0; i < count; i++) {
        int64_t found = knots_up_to(index, rounds, slot[i], scores[i]);
        out[i] = values[found ? found - 1 : 0];
    }
}

void step_function(Scores scores, Steps steps, double *out) {
    double some[BLOCK];
    uint32_t slot[BLOCK];
    Index index;
    make_index(&index, steps.knots, steps.count);
    for (int64_t at = 0; at < scores.count; at += BLOCK) {
        Scores block = stretch(scores, at, BLOCK);
        locate(block, &index.grid, -INFINITY, INFINITY, some, slot);
#define CALL(rounds) each(&index, rounds, some, slot, block.count, steps.values, out + at)
        FOR_EACH_ROUNDS(index.rounds, CALL);
#undef CALL
    }
}
