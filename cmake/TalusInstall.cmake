# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the program, the layers as static libraries with their headers, and what find_package(talus) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
get_property(layers GLOBAL PROPERTY TALUS_LAYERS)

add_library(talus_talus INTERFACE)   # all that a program needs: talus::talus
set(exported talus_compiler talus_talus)
foreach(layer ${layers})
  list(APPEND exported talus_${layer})
  target_link_libraries(talus_talus INTERFACE talus_${layer})
  install(DIRECTORY src/${layer}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/talus/${layer} FILES_MATCHING PATTERN "*.h")
endforeach()
foreach(target ${exported})
  string(REGEX REPLACE "^talus_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS talus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${exported} EXPORT talus ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT talus NAMESPACE talus:: FILE talusTargets.cmake DESTINATION ${package_folder})

configure_package_config_file(cmake/talusConfig.cmake.in ${PROJECT_BINARY_DIR}/talusConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/talusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/talusConfig.cmake ${PROJECT_BINARY_DIR}/talusConfigVersion.cmake cmake/TalusDependencies.cmake
        DESTINATION ${package_folder})
