#include "kernels.h"

/* log(1 + w) / w and its derivatives at some points, of which the first few count. */
PART void log1p_over(const double *w, const double *log, int64_t some, const Series *series,
                     double (*out)[TOGETHER]) {
    double least = w[0];
    for (int64_t i = 1; i < some; i++)
        least = w[i] < least ? w[i] : least;
    if (least < POWERS_END)
        for (int i = 0; i < 3; i++)
            horner(w, series[i], out[i]);
    for (int i = 0; i < TOGETHER; i++) {
        double big = 1 + w[i], w2 = w[i] * w[i];
        double value = log[i] / w[i], first = (w[i] / big - log[i]) / w2;
        double second = (2 * log[i] - (2 * w[i] + 3 * w[i] * w[i]) / (big * big)) / (w2 * w[i]);
        int small = w[i] < POWERS_END;
        out[0][i] = small ? out[0][i] : value;
        out[1][i] = small ? out[1][i] : first;
        out[2][i] = small ? out[2][i] : second;
    }
}

KERNEL void student_t_block(TPoints at, double lam, const Series *series, const double *weights,
                            int64_t count, double *sums) {
    const double more = 1 + lam;
    double rows[T_SUMS][MOST_IN_A_BLOCK];
    for (int64_t from = 0; from < count; from += TOGETHER) {
        int64_t left = count - from, some = left < TOGETHER ? left : TOGETHER;
        double each[TOGETHER] = {0}, w[TOGETHER], log[TOGETHER] = {0}, l[3][TOGETHER] = {{0}};
        memcpy(each, at.y + from, (size_t)some * sizeof *each);
        memcpy(log, at.log + from, (size_t)some * sizeof *log);
        for (int i = 0; i < TOGETHER; i++)
            w[i] = lam * (each[i] * each[i]);
        log1p_over(w, log, some, series, l);
        for (int64_t i = 0; i < some; i++) {
            double y = each[i], y2 = y * y, y4 = y2 * y2, d = 1 / (1 + w[i]);
            double f_y = -more * y * d;
            double f_l = -0.5 * y2 * l[0][i] - 0.5 * more * y4 * l[1][i];
            double f_yy = -more * (1 - w[i]) * d * d;
            double f_yl = -y * d + more * y2 * y * d * d;
            double f_ll = -y4 * l[1][i] - 0.5 * more * y4 * y2 * l[2][i];
            double weight = weights[from + i];
            rows[0][from + i] = -0.5 * more * y2 * l[0][i] * weight;
            rows[1][from + i] = f_y * weight;
            rows[2][from + i] = y * f_y * weight;
            rows[3][from + i] = f_l * weight;
            rows[4][from + i] = f_yy * weight;
            rows[5][from + i] = (f_y + y * f_yy) * weight;
            rows[6][from + i] = (y * f_y + y * y * f_yy) * weight;
            rows[7][from + i] = f_yl * weight;
            rows[8][from + i] = y * f_yl * weight;
            rows[9][from + i] = f_ll * weight;
        }
    }
    for (int i = 0; i < T_SUMS; i++)
        sums[i] = block_sum(rows[i], count);
}

void student_t_sums(TPoints at, double lam, const Series *series, const double *weights,
                    int64_t count, double *sums) {
    if (count <= MOST_IN_A_BLOCK) {
        student_t_block(at, lam, series, weights, count, sums);
        return;
    }
    int64_t half = first_half(count);
    double others[T_SUMS];
    student_t_sums(at, lam, series, weights, half, sums);
    at = (TPoints){at.y + half, at.log + half};
    student_t_sums(at, lam, series, weights + half, count - half, others);
    for (int i = 0; i < T_SUMS; i++)
        sums[i] += others[i];
}
