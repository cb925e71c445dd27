#include "kernels.h"
#include "search.h"

PART void each(const Index *index, int rounds, const double *scores, const uint32_t *slot,
               int64_t count, Spline spline, double *out) {
    for (int64_t i = 0; i < count; i++) {
        const Piece *here = &spline.piece[knots_up_to(index, rounds, slot[i], scores[i])];
        double away = scores[i] * spline.per_unit - here->origin;
        out[i] = (fabs(away) * here->bend + here->slope) * away + here->base;
    }
}

void spline_values(Scores scores, Spline spline, double *out) {
    const double low = spline.knots[0], high = spline.knots[spline.pieces];
    double some[BLOCK];
    uint32_t slot[BLOCK];
    Index index;
    make_index(&index, spline.knots + 1, spline.pieces - 1);
    for (int64_t at = 0; at < scores.count; at += BLOCK) {
        Scores block = stretch(scores, at, BLOCK);
        locate(block, &index.grid, low, high, some, slot);
#define CALL(rounds) each(&index, rounds, some, slot, block.count, spline, out + at)
        FOR_EACH_ROUNDS(index.rounds, CALL);
#undef CALL
    }
}
