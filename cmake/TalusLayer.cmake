# SPDX-License-Identifier: Apache-2.0
# talus_layer(NAME DEPENDS layers... LIBRARIES libraries...): the static library talus_NAME from src/NAME/*.cpp.
function(talus_layer name)
  set_property(GLOBAL APPEND PROPERTY TALUS_LAYERS ${name})   # for cmake/TalusInstall.cmake
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)   # headers only so far
    add_library(talus_${name} INTERFACE)
    target_link_libraries(talus_${name} INTERFACE talus_compiler)
    foreach(layer ${LAYER_DEPENDS})
      target_link_libraries(talus_${name} INTERFACE talus_${layer})
    endforeach()
    return()
  endif()
  add_library(talus_${name} STATIC ${sources})
  add_library(talus::${name} ALIAS talus_${name})
  set_target_properties(talus_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(talus_${name} PUBLIC talus_compiler)
  foreach(layer ${LAYER_DEPENDS})
    target_link_libraries(talus_${name} PUBLIC talus_${layer})
  endforeach()
  target_link_libraries(talus_${name} PRIVATE $<BUILD_INTERFACE:talus_warnings> ${LAYER_LIBRARIES})
endfunction()
