/* Binary search for several scores at once: while one waits for memory, the others go on. */

#ifndef LLRCAL_SEARCH_H
#define LLRCAL_SEARCH_H

#include "scores.h"

enum { TOGETHER = 8 };

/* For each of a few scores, how many of the rising knots do not exceed it. */
PART void knots_up_to(const double *scores, const double *knots, int64_t count,
                               int64_t *found) {
    for (int i = 0; i < TOGETHER; i++)
        found[i] = 0;
    int64_t left = count;
    for (; left > 1; left -= left / 2)
        for (int i = 0; i < TOGETHER; i++)
            found[i] += knots[found[i] + left / 2 - 1] <= scores[i] ? left / 2 : 0;
    for (int i = 0; i < TOGETHER && left; i++)
        found[i] += knots[found[i]] <= scores[i];
}

/* Scores from one of them on; the last one again where there are no more. */
PART int some_scores(Scores scores, int single, ptrdiff_t step, int64_t from,
                              double *out) {
    int64_t left = scores.count - from;
    int count = left < TOGETHER ? (int)left : TOGETHER;
    for (int i = 0; i < TOGETHER; i++)
        out[i] = score(scores.first + (from + (i < count ? i : count - 1)) * step, single);
    return count;
}

#endif
