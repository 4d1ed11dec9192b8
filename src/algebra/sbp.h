#include <stddef.h>
size_t actio_sbp_least(int order);
void actio_sbp_element(int order, size_t points, double *x, double *H, double *Q);
void actio_lgl_element(size_t points, double *x, double *H, double *Q);
void actio_sbp_runge_kutta(size_t points, const double *H, const double *Q, double *A, double *work);
#define ACTIO_SBP_WORK(n) (2*(n)*(n))
