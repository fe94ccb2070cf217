# SPDX-License-Identifier: Apache-2.0
# Language, warnings, instruction set and floating-point rules for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(TALUS_CCACHE ccache)
if(TALUS_CCACHE)
  # What one checkout has compiled another need not compile again: paths below the sources count as relative.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros ${TALUS_CCACHE})
endif()

# For Talus's own targets only; talus_compiler is for all that include its headers.
add_library(talus_warnings INTERFACE)
target_compile_options(talus_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  -Wno-restrict)             # GCC 12 warns falsely on string concatenation (its bug 105651)

add_library(talus_compiler INTERFACE)
target_compile_features(talus_compiler INTERFACE cxx_std_20)   # for projects that include this one
target_compile_options(talus_compiler INTERFACE
  -ffp-contract=off          # results must not depend on what the optimiser fuses; wide.h fuses explicitly
  -fno-math-errno)
if(TALUS_SIMD STREQUAL "x86-64-v3")
  # Without AES and PCLMUL Highway falls back to SSSE3.
  target_compile_options(talus_compiler INTERFACE -march=x86-64-v3 -maes -mpclmul)
elseif(TALUS_SIMD STREQUAL "native")
  target_compile_options(talus_compiler INTERFACE -march=native)
endif()
target_compile_definitions(talus_compiler INTERFACE EIGEN_FAST_MATH=0)
target_include_directories(talus_compiler INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/talus>)
