! SPDX-License-Identifier: Apache-2.0
! Driven Duffing oscillator for AUTO-07p: x'' = x - x^3 - delta x' + gamma cos(om t). The clock is a limit cycle of its own, (cos, sin)(om t).
subroutine func(ndim, u, icp, par, ijac, f, dfdu, dfdp)
  implicit none
  integer, intent(in) :: ndim, icp(*), ijac
  double precision, intent(in) :: u(ndim), par(*)
  double precision, intent(out) :: f(ndim)
  double precision, intent(inout) :: dfdu(ndim, ndim), dfdp(ndim, *)
  double precision :: om, short
  om = par(1)
  short = 1 - u(3)**2 - u(4)**2
  f(1) = u(2)
  f(2) = u(1) - u(1)**3 - par(3)*u(2) + par(2)*u(3)
  f(3) = short*u(3) - om*u(4)
  f(4) = short*u(4) + om*u(3)
end subroutine func

subroutine stpnt(ndim, u, par, t)
  implicit none
  integer, intent(in) :: ndim
  double precision, intent(inout) :: u(ndim), par(*)
  double precision, intent(in) :: t
  par(1) = START_OM
  par(2) = 0.3d0
  par(3) = 0.2d0
end subroutine stpnt

subroutine bcnd
end subroutine bcnd

subroutine icnd
end subroutine icnd

subroutine fopt
end subroutine fopt

subroutine pvls
end subroutine pvls
