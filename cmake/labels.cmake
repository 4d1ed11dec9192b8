# SPDX-License-Identifier: Apache-2.0
# Labels of tests. quick: about 30 s on two idle cores, chosen by the mutants that they find (tools/mutants.py);
# `cmake --build build --target quick` builds what they need. slow: more than 30 s each. The others have no label.
set(quick_programs
    test_action test_algebra test_assign test_band test_contact test_cyclic test_dual test_dual_action test_elliptic
    test_events test_expr test_field test_frame test_grid test_growth test_handed test_kernel test_model test_modes
    test_normal test_periodic test_refuse test_result test_sbp test_seams test_segments test_solve test_stop
    test_traps test_tri test_units test_verdict_traps)
set(quick_scripts dead_points dual_free dual_scipy events field_twins gallery overlay principles start_sizes undefined)
set(dear_models beam bricard ice-curve ice-front sleigh-string)
set(slow
    applies combinations compare contact core derive derive_by dual field field_discrete field_tables language linkages
    metamorphic oracle_derivatives orbit perturb random_models sensitivity skg test_deep test_derive test_laws
    test_no_alloc test_same_bits)

get_property(tests DIRECTORY PROPERTY TESTS)
foreach(name IN LISTS tests)
  string(REGEX REPLACE "^model[.]" "" stem ${name})
  if(name IN_LIST slow)
    set_tests_properties(${name} PROPERTIES LABELS slow)
  elseif(name IN_LIST quick_programs OR name IN_LIST quick_scripts OR (name MATCHES "^model[.]" AND NOT stem IN_LIST dear_models))
    set_tests_properties(${name} PROPERTIES LABELS quick)
  endif()
endforeach()
add_custom_target(quick DEPENDS actio actio_shared ${quick_programs})
