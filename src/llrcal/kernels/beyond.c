#include "kernels.h"

enum { LANES = 8 }; /* independent answers, which compilers put into vectors */

PART int each(Scores scores, int single, ptrdiff_t step, double limit) {
    double beyond[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= scores.count; i += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            double size = fabs(score(scores.first + (i + lane) * step, single));
            beyond[lane] = size <= limit ? beyond[lane] : 1.0; /* NaN is beyond any limit */
        }
    for (; i < scores.count; i++)
        beyond[0] = fabs(score(scores.first + i * step, single)) <= limit ? beyond[0] : 1.0;
    double any = 0;
    for (int lane = 0; lane < LANES; lane++)
        any += beyond[lane];
    return any > 0;
}

KERNEL int any_beyond(Scores scores, double limit) {
#define CALL(single, step) return each(scores, single, step, limit)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
