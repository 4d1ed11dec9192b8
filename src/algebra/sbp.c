#include "algebra/sbp.h"
#include "algebra/dense.h"
#include <math.h>
#include <string.h>
size_t actio_sbp_least(int order) { return order == 2 ? 2 : order == 4 ? 8 : order == 6 ? 12 : 16; }
void actio_sbp_element(int order, size_t n, double *x, double *H, double *Q) { (void)order; actio_lgl_element(n, x, H, Q); }
static void leg(size_t n, long double x, long double *p, long double *dp) { long double a = 1, b = x; for (size_t k = 1; k < n; k++) { long double c = ((2*k+1)*x*b - k*a)/(k+1); a = b; b = c; } *p = b; *dp = n * (x*b - a)/(x*x-1); }
void actio_lgl_element(size_t n, double *x, double *H, double *Q)
{
    long double X[20], P[20]; size_t N = n - 1;
    for (size_t k = 0; k < n; k++) { long double y = -cosl(3.14159265358979323846L*k/N), p, dp; if (k==0) y=-1; if (k==N) y=1;
        for (int i = 0; i < 50 && k && k < N; i++) { leg(N, y, &p, &dp); long double d2 = (2*y*dp - N*(N+1)*p)/(1-y*y); y -= dp/d2; }
        X[k]=y; long double a=1,b=y; if (N==0) b=1; for (size_t j=1;j<N;j++){ long double c=((2*j+1)*y*b-j*a)/(j+1); a=b;b=c;} P[k]=b;
        x[k]=(double)((1+y)/2); H[k]=(double)(1.0L/(N*(N+1)*b*b)); }
    for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++) { long double d = i==j ? (i==0 ? -(long double)(N*(N+1))/4 : i==N ? (long double)(N*(N+1))/4 : 0) : P[i]/P[j]/(X[i]-X[j]); Q[i*n+j]=(double)(d*2/(N*(N+1)*P[i]*P[i])); }
}
void actio_sbp_runge_kutta(size_t n, const double *H, const double *Q, double *A, double *work)
{
    int piv[64]; memcpy(work, Q, n*n*sizeof *Q); work[0] += 1; memset(A, 0, n*n*sizeof *A); for (size_t i = 0; i < n; i++) A[i*n+i]=H[i];
    actio_lu_factor(n, work, piv); actio_lu_solve(n, work, piv, A, n, false);
}
