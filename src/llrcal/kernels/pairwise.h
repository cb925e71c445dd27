/* Sums in the order of numpy.sum, which is pairwise: halves of halves, down to blocks. */

#ifndef LLRCAL_PAIRWISE_H
#define LLRCAL_PAIRWISE_H

#include "scores.h"

enum { MOST_IN_A_BLOCK = 128, ABREAST = 8 };

PART int64_t first_half(int64_t count) { return count / 2 - count / 2 % ABREAST; }

PART double block_sum(const double *row, int64_t count) {
    double sum = 0.0, part[ABREAST];
    int64_t i = 0;
    if (count >= ABREAST) {
        memcpy(part, row, sizeof part);
        for (i = ABREAST; i < count - count % ABREAST; i += ABREAST)
            for (int j = 0; j < ABREAST; j++)
                part[j] += row[i + j];
        sum = ((part[0] + part[1]) + (part[2] + part[3])) +
              ((part[4] + part[5]) + (part[6] + part[7]));
    }
    for (; i < count; i++)
        sum += row[i];
    return sum;
}

#endif
