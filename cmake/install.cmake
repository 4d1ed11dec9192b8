# SPDX-License-Identifier: Apache-2.0
# What is installed, and where. `make install` calls tools/install.sh, which keeps a list for `make uninstall`.
# Nothing that is installed contains the prefix, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ---- manual pages and completion, written by the program
set(pages ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/man1/actio.1
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:actio> -DOUT=${pages} -P ${PROJECT_SOURCE_DIR}/tools/write_pages.cmake
  DEPENDS actio tools/write_pages.cmake VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/man1/actio.1)
add_custom_target(product DEPENDS actio actio_shared actio_static pages)      # everything that is installed

# ---- for pkg-config and CMake
set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ACTIO_UP /${folder} /)
string(REGEX REPLACE "/$" "" ACTIO_UP ${ACTIO_UP})
set(needs ${ACTIO_NEEDS} -lm)
if(CMAKE_DL_LIBS)
  list(APPEND needs -l${CMAKE_DL_LIBS})
endif()
list(JOIN needs " " ACTIO_PRIVATE)
foreach(name actio actio-static)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${folder})
endforeach()
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/actio)
configure_package_config_file(cmake/actioConfig.cmake.in ${CMAKE_BINARY_DIR}/actioConfig.cmake INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/actioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/actioConfig.cmake ${CMAKE_BINARY_DIR}/actioConfigVersion.cmake DESTINATION ${folder})
set_target_properties(actio_shared PROPERTIES EXPORT_NAME actio)
install(TARGETS actio_static actio_shared EXPORT actioTargets)
install(EXPORT actioTargets NAMESPACE actio:: DESTINATION ${folder})

# ---- the program, the header, texts
install(TARGETS actio)
install(DIRECTORY include/actio TYPE INCLUDE FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${pages}/man1 ${pages}/man5 TYPE MAN)
install(FILES ${pages}/actio.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME actio)
install(FILES ${pages}/actio.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
set(zsh site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh vendor-completions)                               # where Debian's zsh looks under /usr
endif()
install(FILES ${pages}/_actio DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh})
install(FILES ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/actio/models)
install(FILES ${templates} DESTINATION ${CMAKE_INSTALL_DATADIR}/actio/templates)
install(FILES LICENSE CHANGELOG.md docs/manual.md TYPE DOC)
install(DIRECTORY docs/figures TYPE DOC)

# ---- the Python package, if there is one: where the system's Python looks, or beside the library
set(python "${PROJECT_SOURCE_DIR}/python/actio")
find_program(ACTIO_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
configure_file(cmake/install_python.cmake.in ${CMAKE_BINARY_DIR}/install_python.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/install_python.cmake)
