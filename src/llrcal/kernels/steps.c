#include "kernels.h"
#include "search.h"

PART void each(Scores scores, int single, ptrdiff_t step, Steps steps, double *out) {
    for (int64_t at = 0; at < scores.count; at += TOGETHER) {
        double some[TOGETHER];
        int64_t found[TOGETHER];
        int count = some_scores(scores, single, step, at, some);
        knots_up_to(some, steps.knots, steps.count, found);
        for (int i = 0; i < count; i++)
            out[at + i] = steps.values[found[i] ? found[i] - 1 : 0];
    }
}

void step_function(Scores scores, Steps steps, double *out) {
#define CALL(single, step) each(scores, single, step, steps, out)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
