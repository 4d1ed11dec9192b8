# SPDX-License-Identifier: Apache-2.0
# Optional libraries. Each has ACTIO_WITH_NAME = AUTO (use it when found), ON (must be found) or OFF.
# A found one adds its file of src/native, ACTIO_WITH_NAME as a macro, and the target `actio_NAME` to link. What it sets as
# ACTIO_NAME_NEEDS, paths of libraries, is stated to those who link libactio.a.
find_package(PkgConfig QUIET)
set(ACTIO_BUILT_WITH "")
set(ACTIO_NATIVE_SKIP "")
set(ACTIO_NEEDS "")

# How others name a library: -lNAME in the folders of the linker, its path elsewhere.
function(actio_need path)
  get_filename_component(folder ${path} DIRECTORY)
  get_filename_component(file ${path} NAME)
  if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES AND file MATCHES "^lib(.*)[.](so|a)$")
    set(path -l${CMAKE_MATCH_1})
  endif()
  set(ACTIO_NEEDS ${ACTIO_NEEDS} ${path} PARENT_SCOPE)
endfunction()

# actio_optional(NAME file.c version): call after trying to make the target actio_<name>.
macro(actio_optional NAME file version)
  string(TOLOWER ${NAME} lower)
  if(TARGET actio_${lower})
    list(APPEND ACTIO_NATIVE_LINK actio_${lower})
    list(APPEND ACTIO_NATIVE_DEFINE ACTIO_WITH_${NAME}=1)
    foreach(library ${ACTIO_${NAME}_NEEDS})
      actio_need(${library})
    endforeach()
    string(APPEND ACTIO_BUILT_WITH "${NAME} ${version}, ")
  else()
    if(ACTIO_WITH_${NAME} STREQUAL "ON")
      message(FATAL_ERROR "ACTIO_WITH_${NAME} is ON and ${NAME} was not found (tools/setup.sh --libraries installs it)")
    endif()
    list(APPEND ACTIO_NATIVE_SKIP ${file})
  endif()
  message(STATUS "${NAME}: ${ACTIO_WITH_${NAME}}, ${version}")
endmacro()

foreach(name SUNDIALS KLU HDF5 CAIRO)
  set(ACTIO_WITH_${name} AUTO CACHE STRING "use ${name}: AUTO, ON or OFF")
  set_property(CACHE ACTIO_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/sundials.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/klu.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/hdf5.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cairo.cmake)
string(REGEX REPLACE ", $" "" ACTIO_BUILT_WITH "${ACTIO_BUILT_WITH}")
