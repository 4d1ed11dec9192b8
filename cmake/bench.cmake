# SPDX-License-Identifier: Apache-2.0
# Benchmarks: `make bench` prints the tables and leaves them in bench/ of the build folder. See docs/speed.md.
set(benches p1 p3 p6 p8)
foreach(name IN LISTS benches)
  actio_program(bench_${name} bench/${name}.c)
  target_include_directories(bench_${name} PRIVATE bench)
  set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endforeach()
target_sources(bench_p1 PRIVATE bench/hand.c bench/slot.c)
target_sources(bench_p3 PRIVATE bench/tumbler.c)
set_source_files_properties(bench/tumbler.c PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-Wno-pedantic")
# The yardstick may use all of this processor, and the options that were fastest for it.
set_source_files_properties(bench/hand.c PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffp-contract=fast;-fno-tree-slp-vectorize")

# Peers in P1: more of SUNDIALS than the library itself uses.
set(peers "")
if(TARGET actio_sundials)
  foreach(part arkode sunlinsoldense sunmatrixdense sunnonlinsolfixedpoint)
    find_library(ACTIO_BENCH_${part} sundials_${part})
    list(APPEND peers ${ACTIO_BENCH_${part}})
  endforeach()
endif()
if(peers AND NOT peers MATCHES NOTFOUND)
  target_sources(bench_p1 PRIVATE bench/peers.c)
  target_compile_definitions(bench_p1 PRIVATE BENCH_PEERS=1)
  target_link_libraries(bench_p1 PRIVATE ${peers})
  set_source_files_properties(bench/peers.c PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffp-contract=fast")
endif()

add_custom_target(bench COMMAND sh tools/bench.sh ${CMAKE_BINARY_DIR} ${benches} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL VERBATIM)
add_dependencies(bench actio)
foreach(name IN LISTS benches)
  add_dependencies(bench bench_${name})
endforeach()
