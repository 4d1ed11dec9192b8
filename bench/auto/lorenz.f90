! SPDX-License-Identifier: Apache-2.0
! Lorenz's equations for AUTO-07p, sigma = 10, b = 8/3, parameter a.
subroutine func(ndim, u, icp, par, ijac, f, dfdu, dfdp)
  implicit none
  integer, intent(in) :: ndim, icp(*), ijac
  double precision, intent(in) :: u(ndim), par(*)
  double precision, intent(out) :: f(ndim)
  double precision, intent(inout) :: dfdu(ndim, ndim), dfdp(ndim, *)
  f(1) = 10*(u(2) - u(1))
  f(2) = u(1)*(par(1) - u(3)) - u(2)
  f(3) = u(1)*u(2) - 8*u(3)/3
end subroutine func

subroutine stpnt(ndim, u, par, t)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(inout) :: u(ndim), par(*)
  double precision, intent(in) :: t
  par(1) = START_A
end subroutine stpnt

subroutine bcnd
end subroutine bcnd

subroutine icnd
end subroutine icnd

subroutine fopt
end subroutine fopt

subroutine pvls
end subroutine pvls
