#include "kernels.h"

enum { SOME = 8 };

/* Every score is written to both classes, and only the count of its own moves on: there is no
   branch to mispredict. Where a class is rare, most stretches have none of it. */
PART int64_t each(Scores scores, int single, ptrdiff_t step, const uint8_t *is_tar, double *tar,
                  double *non) {
    double *first = tar;
    for (int64_t from = 0; from < scores.count; from += SOME) {
        uint64_t any = 1;
        if (from + SOME <= scores.count)
            memcpy(&any, is_tar + from, SOME);
        int64_t end = from + SOME < scores.count ? from + SOME : scores.count;
        if (!any) {
            for (int64_t i = 0; i < SOME; i++)
                non[i] = score(scores.first + (from + i) * step, single);
            non += SOME;
            continue;
        }
        for (int64_t i = from; i < end; i++) {
            *tar = *non = score(scores.first + i * step, single);
            tar += is_tar[i] != 0;
            non += is_tar[i] == 0;
        }
    }
    return tar - first;
}

int64_t split(Scores scores, const uint8_t *is_tar, double *tar, double *non) {
#define CALL(single, step) return each(scores, single, step, is_tar, tar, non)
    FOR_EACH_KIND(&scores, CALL);
#undef CALL
}
