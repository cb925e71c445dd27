#include "kernels.h"

/* The formulas of densities/nig_kernel.py and densities/nig_likelihood.py, term by term. */
KERNEL void nig_shape(NigPoints at, NigShape s, int64_t count, double *out) {
    const double c = s.c, u_z = s.tanh, y_z = 1 / (s.cosh * s.root), y_zv = -s.bent / (s.a * s.root);
    const double y_zc = -0.5 * y_z / s.a, steep = 3 * s.sinh * s.cosh / s.a;
    for (int64_t i = 0; i < count; i++) {
        double z = at.z[i], q = at.q[i], e = at.exponent[i];
        double u = 1 + s.tanh * z, y = (z / s.cosh - s.sinh) / s.root;

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
        out[i] = at.bessel[i] - 1.5 * at.log_q[i] - e;
        out[count + i] = k_u * u_z + k_y * y_z;
        out[2 * count + i] = k_u * u_v + k_y * y_v;
        out[3 * count + i] = k_y * y_c + k_c;
        out[4 * count + i] = uz * u_z + yz * y_z;
        out[5 * count + i] = uz * u_v + yz * y_v + k_u / s.square + k_y * y_zv;
        out[6 * count + i] = yz * y_c + k_uc * u_z + k_yc * y_z + k_y * y_zc;
        out[7 * count + i] = uv * u_v + yv * y_v - 2 * s.tanh * k_u * u_v + k_y * y_vv;
        out[8 * count + i] = yv * y_c + k_uc * u_v + k_yc * y_v + k_y * y_vc;
        out[9 * count + i] = (k_yy * y_c + 2 * k_yc) * y_c + k_cc + k_y * y_cc;
    }
}
