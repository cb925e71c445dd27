#include "kernels.h"
#include "search.h"

PART void each(Scores scores, int single, ptrdiff_t step, Spline spline, double *out) {
    const double low = spline.knots[0], high = spline.knots[spline.pieces];
    for (int64_t at = 0; at < scores.count; at += TOGETHER) {
        double some[TOGETHER];
        int64_t piece[TOGETHER];
        int count = some_scores(scores, single, step, at, some);
        for (int i = 0; i < TOGETHER; i++) {
            some[i] = some[i] > low ? some[i] : low;
            some[i] = some[i] < high ? some[i] : high;
        }
        knots_up_to(some, spline.knots + 1, spline.pieces - 1, piece);
        for (int i = 0; i < count; i++) {
            const Piece *here = &spline.piece[piece[i]];
            double away = some[i] * spline.per_unit - here->origin;
            out[at + i] = (fabs(away) * here->bend + here->slope) * away + here->base;
        }
    }
}

void spline_values(Scores scores, Spline spline, double *out) {
#define CALL(single, step) each(scores, single, step, spline, out)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
