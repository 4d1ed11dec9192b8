# SPDX-License-Identifier: Apache-2.0
# Tests and the fuzzer. A test says "NAME: N passed, N failed"; tools/test.py adds them up.
function(actio_program name source)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src include tests ${generated})
  target_compile_definitions(${name} PRIVATE TEST_DIR="${PROJECT_SOURCE_DIR}/tests" SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE actio_static ${ACTIO_NATIVE_LINK} m ${CMAKE_DL_LIBS})
endfunction()

if(EMSCRIPTEN)
  add_executable(web_disk tests/web_disk.c)
  target_link_libraries(web_disk PRIVATE actio_static)
  # One file that Node 20 loads without its fetch(); memory may grow.
  target_link_options(web_disk PRIVATE -O2 -sSINGLE_FILE=1 -sALLOW_MEMORY_GROWTH=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)
  return()
endif()

if(ACTIO_FUZZ)
  actio_program(fuzz_model tests/fuzz_model.c)
  target_link_options(fuzz_model PRIVATE -fsanitize=fuzzer)
  return()
endif()

file(GLOB programs CONFIGURE_DEPENDS tests/test_*.c tests/web_disk.c)
foreach(source IN LISTS programs)
  get_filename_component(name ${source} NAME_WE)
  actio_program(${name} ${source})
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${ACTIO_NATIVE}>:ACTIO_NATIVE=1> ${ACTIO_NATIVE_DEFINE})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()
file(GLOB seams CONFIGURE_DEPENDS tests/seams/*.c)
target_sources(test_seams PRIVATE ${seams})
if(ACTIO_NATIVE)
  target_link_options(test_cache PRIVATE -Wl,--wrap=dlopen,--wrap=fork,--wrap=actio_compiler_run)   # what happens between a check and a use
  target_link_options(test_result PRIVATE -Wl,--wrap=linkat)       # a file system that can't name a file afterwards
endif()
target_link_options(test_laws PRIVATE -Wl,--wrap=actio_brackets)   # a wrong sign in one must be seen

# The program with allocations that fail, in every file of ours.
if(ACTIO_NATIVE)
  add_executable(starved tests/starved.c ${cli})
  target_include_directories(starved PRIVATE src)
  target_link_libraries(starved PRIVATE actio_static)
  target_link_options(starved PRIVATE -Wl,--wrap=main,--wrap=malloc,--wrap=calloc,--wrap=realloc)
  add_test(NAME starved COMMAND starved WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

# References of the random families: tests/truth/. The fast multiply-add of this machine where it has one.
if(ACTIO_NATIVE AND NOT ACTIO_SANITIZE)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-march=native ACTIO_HAS_MARCH_NATIVE)
  file(GLOB truth CONFIGURE_DEPENDS tests/truth/*.c)
  add_executable(truth ${truth})
  target_compile_options(truth PRIVATE -O2 -ffp-contract=off $<$<BOOL:${ACTIO_HAS_MARCH_NATIVE}>:-march=native>)
  target_link_libraries(truth PRIVATE m)
  if(ACTIO_PYTHON)
    add_test(NAME truth_check COMMAND ${ACTIO_PYTHON} tests/truth/check.py --truth ${CMAKE_BINARY_DIR}/truth
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endif()

# The program with its work as its clock. Compiled once more, so that every basic block counts.
if(ACTIO_NATIVE AND NOT ACTIO_SANITIZE)
  add_executable(polled tests/polled.c ${cli} ${core} ${native} ${embedded})
  add_dependencies(polled generated)
  target_include_directories(polled PRIVATE src include ${generated})
  target_compile_definitions(polled PRIVATE ACTIO_NATIVE=1 ${ACTIO_NATIVE_DEFINE})
  target_compile_options(polled PRIVATE -O1 -fsanitize-coverage=trace-pc)
  set_source_files_properties(tests/polled.c PROPERTIES COMPILE_OPTIONS -fno-sanitize-coverage=trace-pc)
  target_link_options(polled PRIVATE -Wl,--wrap=main,--wrap=actio_native_clock -rdynamic)
  target_link_libraries(polled PRIVATE ${ACTIO_NATIVE_LINK} m ${CMAKE_DL_LIBS})
  add_test(NAME polled COMMAND polled WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

# Threads, by the thread sanitizer where the compiler has it: the library once more, without optimisation.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
set(CMAKE_REQUIRED_LINK_OPTIONS -fsanitize=thread)
check_c_source_compiles("#include <pthread.h>
int main(void) { return pthread_self() == 0; }" ACTIO_HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(ACTIO_HAS_THREAD_SANITIZER AND ACTIO_NATIVE AND NOT ACTIO_SANITIZE)
  add_executable(threads tests/threads.c ${core} ${native} ${generated}/gallery.c ${generated}/templates.c)
  add_dependencies(threads generated)
  target_include_directories(threads PRIVATE src include tests ${generated})
  target_compile_definitions(threads PRIVATE ACTIO_NATIVE=1 ${ACTIO_NATIVE_DEFINE})
  target_compile_options(threads PRIVATE -O0 -fsanitize=thread)
  target_link_options(threads PRIVATE -fsanitize=thread)
  target_link_libraries(threads PRIVATE ${ACTIO_NATIVE_LINK} m ${CMAKE_DL_LIBS} pthread)
  add_test(NAME threads COMMAND threads WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

# The action alone: formulas and what turns them into numbers, the parts of a model, nodes of time. No equation of motion, no law, no march.
set(action_folders base expr model kernel algebra)
set(action_files equations/action equations/contact equations/doubled equations/dual equations/flows equations/frame equations/gibbs equations/instants equations/parts equations/sensitivity equations/soft equations/switches equations/switch_lines equations/system equations/tangent
    solve/doubled solve/doubled_pattern solve/doubled_solve solve/element solve/grid solve/grid_sparse solve/lanes solve/node solve/points solve/slab solve/sweep)
list(JOIN action_folders "|" folders)
list(JOIN action_files "|" files)
list(JOIN action_folders "/*.c " made_of)
list(JOIN action_files ".c " made_of_files)
add_executable(link_action tests/link_action.c "$<FILTER:$<TARGET_OBJECTS:actio_core>,INCLUDE,/src/((${folders})/[a-z0-9_]+|${files})[.]c[.]o>")
target_include_directories(link_action PRIVATE src include tests)
target_compile_definitions(link_action PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}" ACTION_OBJECTS="${made_of}/*.c ${made_of_files}.c")
target_link_libraries(link_action PRIVATE m)
add_test(NAME link_action COMMAND link_action WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

foreach(file IN LISTS models)
  get_filename_component(stem ${file} NAME_WE)
  add_test(NAME model.${stem} COMMAND actio test models/${stem}.act WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

foreach(file IN LISTS templates)
  get_filename_component(stem ${file} NAME_WE)
  add_test(NAME template.${stem} COMMAND actio test templates/${stem}.act WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()

# Scripts run in the source folder. Python is Debian's, which has the packages.
find_program(ACTIO_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
function(actio_script name)
  add_test(NAME ${name} COMMAND ${ACTIO_PYTHON} tests/${name}.py ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
actio_script(cli ${CMAKE_BINARY_DIR})
actio_script(read_back ${CMAKE_BINARY_DIR})
if(ACTIO_SANITIZE)                                         # test_derive derives the gallery in every language and by every principle
  actio_script(derive --program ${CMAKE_BINARY_DIR}/actio --only check_)
  actio_script(derive_by --program ${CMAKE_BINARY_DIR}/actio --only check_ --only "coin by")
else()
  actio_script(derive --program ${CMAKE_BINARY_DIR}/actio)
  actio_script(derive_by --program ${CMAKE_BINARY_DIR}/actio)
endif()
actio_script(derive_fields --program ${CMAKE_BINARY_DIR}/actio)
actio_script(says ${CMAKE_BINARY_DIR})
if(NOT ACTIO_SANITIZE)                                     # what is about numbers and names is the same in every build
  actio_script(dual_scipy ${CMAKE_BINARY_DIR})
  actio_script(example ${CMAKE_BINARY_DIR})
  actio_script(install ${CMAKE_BINARY_DIR})
  if(ACTIO_NATIVE)
    add_test(NAME core COMMAND sh tests/core.sh ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  actio_script(action_scipy ${CMAKE_BINARY_DIR})
  foreach(name combinations verdict random_models broken gallery compare overlay contact noether modes
          perturb metamorphic oracle_derivatives oracle_motion oracle_normal skg dual orbit orbit_instants sensitivity joined field
          field_tables field_oracle field_discrete field_twins dual_free applies undefined start_sizes dead_points language
          linkages rows_twice events instants corners switched resets errors pictures architecture equations words principles parts mutations)
    actio_script(${name} --program ${CMAKE_BINARY_DIR}/actio)
  endforeach()
  if(ACTIO_NATIVE)                                         # the Python package, with the shared library
    foreach(name python_abi python_package python_calls python_sympy python_examples python_install)
      actio_script(${name} --program ${CMAKE_BINARY_DIR}/actio)
    endforeach()
  endif()
  add_test(NAME derive_sbp COMMAND ${ACTIO_PYTHON} tools/derive_sbp.py --check src/algebra/sbp_table.inc WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME derive_orbits COMMAND ${ACTIO_PYTHON} tools/derive_orbits.py --check tests/orbits/reference.csv WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME check_layout COMMAND ${ACTIO_PYTHON} tools/check_layout.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME check_complexity COMMAND ${ACTIO_PYTHON} tools/check_complexity.py ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  foreach(name check_includes check_symbols check_clock)
    add_test(NAME ${name} COMMAND sh tools/${name}.sh ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/labels.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/bench.cmake)

# Only what hangs takes six hours: no test may depend on how fast the machine is (tools/check_clock.sh).
get_property(all DIRECTORY PROPERTY TESTS)
set_tests_properties(${all} PROPERTIES TIMEOUT 21600)

# One thread for the references' linear algebra: on a busy machine of many cores its threads wait for each other without end.
set(environment OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1)
# What a system library keeps until the end is not our leak.
if(ACTIO_SANITIZE)
  list(APPEND environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.supp:print_suppressions=0")
endif()
set_tests_properties(${all} PROPERTIES ENVIRONMENT "${environment}")
