# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts below the prefix: the command with its manual page, both libraries,
# the headers, and how CMake and pkg-config find them. Nothing of it names the prefix, so that an
# installation can be moved.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Twill)
set(package_files ${CMAKE_BINARY_DIR}/package)

install(TARGETS twill)
set_target_properties(twill_shared PROPERTIES EXPORT_NAME twill)
set_target_properties(twill_static PROPERTIES EXPORT_NAME static)
install(TARGETS twill_shared twill_static EXPORT TwillTargets)
if(mpi_plugins)
  install(TARGETS ${mpi_plugins} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/twill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(EXPORT TwillTargets NAMESPACE twill:: DESTINATION ${package_folder})

# While the major version is 0 each minor version may change what is inlined into programs.
configure_package_config_file(cmake/TwillConfig.cmake.in ${package_files}/TwillConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${package_files}/TwillConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${package_files}/TwillConfig.cmake ${package_files}/TwillConfigVersion.cmake
  DESTINATION ${package_folder})

set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${pc_folder} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/twill.pc.in ${package_files}/twill.pc @ONLY)
install(FILES ${package_files}/twill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The page is made by running the command, which a foreign or a sanitized one may refuse.
if(NOT CMAKE_CROSSCOMPILING AND NOT TWILL_SANITIZE)
  set(man_page ${CMAKE_BINARY_DIR}/man/twill.1)
  set(man_sources ${PROJECT_SOURCE_DIR}/man/generate.sh ${PROJECT_SOURCE_DIR}/man/help.awk
    ${PROJECT_SOURCE_DIR}/man/twill.1.in)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man_page}
    COMMAND sh ${PROJECT_SOURCE_DIR}/man/generate.sh $<TARGET_FILE:twill> > ${man_page}
    DEPENDS twill ${man_sources} COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(man_page ALL DEPENDS ${man_page})
  install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
