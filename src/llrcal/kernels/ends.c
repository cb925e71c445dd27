#include "kernels.h"

enum { LANES = 8 }; /* independent minima, which compilers put into vectors */

PART void each(Scores scores, int single, ptrdiff_t step, Ends *out) {
    double least[LANES], greatest[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        least[lane] = out->least;
        greatest[lane] = out->greatest;
    }
    int64_t i = 0;
    for (; i + LANES <= scores.count; i += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            double s = score(scores.first + (i + lane) * step, single);
            least[lane] = s < least[lane] ? s : least[lane];
            greatest[lane] = s > greatest[lane] ? s : greatest[lane];
        }
    for (; i < scores.count; i++) {
        double s = score(scores.first + i * step, single);
        least[0] = s < least[0] ? s : least[0];
        greatest[0] = s > greatest[0] ? s : greatest[0];
    }
    for (int lane = 0; lane < LANES; lane++) {
        out->least = least[lane] < out->least ? least[lane] : out->least;
        out->greatest = greatest[lane] > out->greatest ? greatest[lane] : out->greatest;
    }
}

KERNEL Ends ends_of(Scores scores) {
    Ends out = {INFINITY, -INFINITY};
#define CALL(single, step) each(scores, single, step, &out)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
    return out;
}
