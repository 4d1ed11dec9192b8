# SPDX-License-Identifier: Apache-2.0
# Labels of tests. quick: about 30 s on two idle cores, chosen by processor time and by what they cover
# (tools/mutants.py measures what they find); `cmake --build build --target quick` builds what they need. slow: more than 30 s each. The
# others have no label.
set(quick_programs
    test_action test_algebra test_assign test_band test_contact test_curves test_cyclic test_dual test_dual_action test_elliptic
    test_events test_expr test_external test_field test_flow test_frame test_grid test_handed test_hungry test_kernel
    test_model test_modes test_normal test_numbers test_periodic test_refuse test_result test_result_fields test_sbp
    test_seams test_segments test_solve test_traps test_tri test_units test_verdict_traps)
set(quick_scripts
    broken dual_scipy events field_twins gallery overlay principles python_abi start_sizes undefined)
set(dear_models beam bricard ice-curve ice-front sleigh-string)     # those of all others are quick
set(slow
    applies combinations compare contact core derive derive_by dual field field_discrete field_oracle field_tables
    language linkages metamorphic oracle_derivatives orbit perturb random_models sensitivity skg test_deep test_derive
    test_laws test_no_alloc test_same_bits)

# Parts of slower scripts that are quick by themselves: quick.NAME runs `tests/NAME.py --only PART ...`.
function(actio_quick_parts name)
  set(only "")
  foreach(part IN LISTS ARGN)
    list(APPEND only --only ${part})
  endforeach()
  if("${name}" STREQUAL "cli")
    set(program ${CMAKE_BINARY_DIR})
  else()
    set(program --program ${CMAKE_BINARY_DIR}/actio)
  endif()
  add_test(NAME quick.${name} COMMAND ${ACTIO_PYTHON} tests/${name}.py ${program} ${only}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
if(NOT ACTIO_SANITIZE)
  actio_quick_parts(cli json help version summary quiet exits_1 exit_2)
  actio_quick_parts(compare vakonomic theories discrete frames powers power_words shared_power splits distances
                    same_disk servos)
  actio_quick_parts(contact tumbler incline billiard comes_to_rest columns after_an_event passes momenta rods releases
                    corners wires two_slips backward principles sticks soft hard_to_see)
  actio_quick_parts(corners exact nested together refused sides claims walls powers roots periods held_between)
  actio_quick_parts(resets exact fails listed table_rows printed)
  actio_quick_parts(derive check_golden check_command check_following cart chain-table clutch euler-top knife lm
                    moving-wall pars4 pendulum-tension rod-servo suslov turntable)
  actio_quick_parts(derive_by check_golden check_duals coin lm2 pars42 suslov-state)
  actio_quick_parts(derive_fields test_string test_names test_refusals test_sleigh test_others test_edges test_beam
                    test_frames test_hamel test_reads_back test_latex)
  actio_quick_parts(dual orders closures tables whole zero written gauge hamiltonian quadratic free soft horizons
                    marching)
  actio_quick_parts(field wrong columns start options rules kinds laws)
  actio_quick_parts(joined places)
  actio_quick_parts(language check_functions check_reserved)
  actio_quick_parts(modes finite rolling lorenz words)
  actio_quick_parts(orbit pendulum contract files refused duffing swings kepler wells drawn switches find
                    closes reciprocal units mirrored backward constrained families ways by_points
                    rossler eights ones)
  actio_quick_parts(orbit_instants walker escapement reset clocks relay constrained momenta corners bounces listed refused)
  actio_quick_parts(pictures pendulum escapement bouncing held size)
  actio_quick_parts(python_package a_few_models columns options_table values_of_options ends_early)
  actio_quick_parts(python_calls ctrl_c rows_are_kept pickles)
  actio_quick_parts(rows_twice five_rows)
  actio_quick_parts(sensitivity closed_form refusals thrown spun forms)
  actio_quick_parts(skg disk_at_64 disk_by_slabs refusals claims energy_identity incline damped driven backward sizes)
  actio_quick_parts(verdict case inadmissible said remedies places first_things_first later units)
endif()

get_property(tests DIRECTORY PROPERTY TESTS)
foreach(name IN LISTS tests)
  string(REGEX REPLACE "^model[.]" "" stem ${name})
  if(name IN_LIST slow)
    set_tests_properties(${name} PROPERTIES LABELS slow)
  elseif(name IN_LIST quick_programs OR name IN_LIST quick_scripts OR name MATCHES "^(quick|template)[.]"
         OR (name MATCHES "^model[.]" AND NOT stem IN_LIST dear_models))
    set_tests_properties(${name} PROPERTIES LABELS quick)
  endif()
  if(name MATCHES "^model[.]" AND NOT stem IN_LIST dear_models)      # what is cheap and sees much begins
    set_tests_properties(${name} PROPERTIES COST 200)
  elseif(name IN_LIST quick_programs)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endforeach()
add_custom_target(quick DEPENDS actio actio_shared ${quick_programs})
