# SPDX-License-Identifier: Apache-2.0
# The shared library exports the functions of the public header and nothing else: a version script is written from it.
file(GLOB public CONFIGURE_DEPENDS include/actio/*.h)
add_custom_command(OUTPUT ${generated}/actio.map
  COMMAND ${CMAKE_COMMAND} "-DHEADERS=${public}" -DNODE=ACTIO_${PROJECT_VERSION_MAJOR} -DOUT=${generated}/actio.map
          -P ${PROJECT_SOURCE_DIR}/tools/write_exports.cmake
  DEPENDS ${public} tools/write_exports.cmake VERBATIM)
add_custom_target(exports DEPENDS ${generated}/actio.map)
if(NOT APPLE AND NOT WIN32)
  add_dependencies(actio_shared exports)
  target_link_options(actio_shared PRIVATE LINKER:--version-script=${generated}/actio.map)
  set_target_properties(actio_shared PROPERTIES LINK_DEPENDS ${generated}/actio.map)
endif()
