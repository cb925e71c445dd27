#include "kernels.h"

/* The formulas of densities/nig.py, term by term. */

PART double u_at(NigShape s, double z) { return 1 + s.tanh * z; }
PART double y_at(NigShape s, double z) { return (z / s.cosh - s.sinh) / s.root; }

KERNEL double nig_ingredients(const double *z, int64_t count, NigShape s, const Series *series,
                              double *out) {
    double most = 0;
    for (int64_t from = 0; from < count; from += TOGETHER) {
        int64_t left = count - from, some = left < TOGETHER ? left : TOGETHER;
        double q[TOGETHER], exponent[TOGETHER], x[TOGETHER], part[TOGETHER] = {0};
        memcpy(part, z + from, (size_t)some * sizeof *z);
        for (int i = 0; i < TOGETHER; i++) {
            double u = u_at(s, part[i]), y = y_at(s, part[i]);
            q[i] = sqrt(u * u + s.c * (y * y));
            double above = y * y / (fabs(u) + q[i]), below = (q[i] - u) / s.c;
            exponent[i] = u < 0 ? below : above;
            double t = s.c * (1 / q[i]);
            x[i] = (t > SERIES_END ? SERIES_END : t) * (2 / SERIES_END) - 1;
        }
        for (int64_t i = 0; i < some; i++) {
            double t = s.c * (1 / q[i]);
            most = t > most ? t : most;
        }
        memcpy(out + from, q, (size_t)some * sizeof *q);
        memcpy(out + count + from, exponent, (size_t)some * sizeof *q);
        for (int i = 0; i < 3; i++) {
            clenshaw(x, series[i], part);
            memcpy(out + (3 + i) * count + from, part, (size_t)some * sizeof *q);
        }
    }
    return most;
}

/* The value, and its derivatives by the coordinates that the names say. */
typedef struct {
    double value, z, v, c, zz, zv, zc, vv, vc, cc;
} Terms;

PART Terms terms_at(NigPoints at, NigShape s, int64_t i) {
    const double c = s.c, u_z = s.tanh, y_z = 1 / (s.cosh * s.root), y_zv = -s.bent / (s.a * s.root);
    const double y_zc = -0.5 * y_z / s.a, steep = 3 * s.sinh * s.cosh / s.a;
    double z = at.z[i], q = at.q[i], e = at.exponent[i];
    double u = u_at(s, z), y = y_at(s, z);

    /* The kernel of the density, by u, y and c. */
    double iq = 1 / q, t = c * iq, iq2 = iq * iq, iq3 = iq2 * iq;
    double mixed = at.bessel1[i] + t * at.bessel2[i];
    double l_q = -(1.5 + t * at.bessel1[i]) * iq, l_c = at.bessel1[i] * iq;
    double l_qq = (1.5 + t * (at.bessel1[i] + mixed)) * iq2, l_qc = -mixed * iq2;
    double l_cc = at.bessel2[i] * iq2;
    double u2 = u * u, y2 = y * y, tq = e * q;
    double q_u = u * iq, q_y = c * y * iq, q_c = 0.5 * y2 * iq;
    double k_u = l_q * q_u + e * iq, k_y = l_q * q_y - y * iq;
    double k_c = l_q * q_c + l_c + 0.5 * e * e * iq;
    double k_uu = l_qq * q_u * q_u + (l_q * c - 1) * y2 * iq3;
    double k_uy = l_qq * q_u * q_y - (l_q * c - 1) * u * y * iq3;
    double k_uc = (l_qq * q_c + l_qc) * q_u - 0.5 * (l_q * u * y2 + e * (tq + y2)) * iq3;
    double k_yy = l_qq * q_y * q_y + (l_q * c - 1) * u2 * iq3;
    double k_yc = (l_qq * q_c + l_qc) * q_y + 0.5 * (l_q * (q * q + u2) + y2) * y * iq3;
    double k_cc = (l_qq * q_c + 2 * l_qc) * q_c + l_cc -
                  0.25 * (l_q * y2 * y2 + e * e * (2 * tq + y2)) * iq3;

    /* u and y by z, v and c. */
    double u_v = z / s.square;
    double y_v = -(z * s.bent + s.cosh * (1 + c)) / (s.a * s.root);
    double y_c = -0.5 * y / s.a, y_cc = 0.75 * y / s.a_squared;
    double y_vv = -(z * s.curl + s.sinh * (1 + c)) / (s.a * s.root) - steep * y_v;
    double y_vc = -(z * s.tanh / s.cosh + s.cosh) / (s.a * s.root) - 1.5 * y_v / s.a;

    /* The chain rule. */
    double uz = k_uu * u_z + k_uy * y_z, yz = k_uy * u_z + k_yy * y_z;
    double uv = k_uu * u_v + k_uy * y_v, yv = k_uy * u_v + k_yy * y_v;
    return (Terms){
        .value = at.bessel[i] - 1.5 * at.log_q[i] - e,
        .z = k_u * u_z + k_y * y_z,
        .v = k_u * u_v + k_y * y_v,
        .c = k_y * y_c + k_c,
        .zz = uz * u_z + yz * y_z,
        .zv = uz * u_v + yz * y_v + k_u / s.square + k_y * y_zv,
        .zc = yz * y_c + k_uc * u_z + k_yc * y_z + k_y * y_zc,
        .vv = uv * u_v + yv * y_v - 2 * s.tanh * k_u * u_v + k_y * y_vv,
        .vc = yv * y_c + k_uc * u_v + k_yc * y_v + k_y * y_vc,
        .cc = (k_yy * y_c + 2 * k_yc) * y_c + k_cc + k_y * y_cc,
    };
}

KERNEL void nig_block(NigPoints at, NigShape s, const double *weights, int64_t count,
                      double *sums) {
    double rows[NIG_SUMS][MOST_IN_A_BLOCK];
    for (int64_t i = 0; i < count; i++) {
        Terms of = terms_at(at, s, i);
        double z = at.z[i], w = weights[i];
        rows[0][i] = of.value * w;
        rows[1][i] = of.z * w;
        rows[2][i] = z * of.z * w;
        rows[3][i] = of.v * w;
        rows[4][i] = of.c * w;
        rows[5][i] = of.zz * w;
        rows[6][i] = (of.z + z * of.zz) * w;
        rows[7][i] = (z * of.z + z * z * of.zz) * w;
        rows[8][i] = of.zv * w;
        rows[9][i] = z * of.zv * w;
        rows[10][i] = of.zc * w;
        rows[11][i] = z * of.zc * w;
        rows[12][i] = of.vv * w;
        rows[13][i] = of.vc * w;
        rows[14][i] = of.cc * w;
    }
    for (int i = 0; i < NIG_SUMS; i++)
        sums[i] = block_sum(rows[i], count);
}

void nig_sums(NigPoints at, NigShape s, const double *weights, int64_t count, double *sums) {
    if (count <= MOST_IN_A_BLOCK) {
        nig_block(at, s, weights, count, sums);
        return;
    }
    int64_t half = first_half(count);
    double others[NIG_SUMS];
    nig_sums(at, s, weights, half, sums);
    at = (NigPoints){at.z + half,      at.q + half,       at.exponent + half, at.log_q + half,
                     at.bessel + half, at.bessel1 + half, at.bessel2 + half};
    nig_sums(at, s, weights + half, count - half, others);
    for (int i = 0; i < NIG_SUMS; i++)
        sums[i] += others[i];
}
