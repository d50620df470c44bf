# How every target of the project is compiled. (GCC 12 takes designated initialisers for missing ones, and
# strings in aggregates for uninitialised: two warnings are off.) No -ffast-math and no contraction anywhere: the error bounds
# that privacy rests on are stated for plain IEEE arithmetic.
add_library(tacit_warnings INTERFACE)
target_compile_options(tacit_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wdouble-promotion -Wno-missing-field-initializers -Wno-maybe-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Werror> -ffp-contract=off -fno-fast-math
  # Files that are compiled together see each other's names: two warnings are for files alone.
  $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow> $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>)
if(TACIT_SANITIZE)
  # A finding ends the program: undefined behaviour would otherwise be a line on standard error, and the test green.
  add_compile_options(-fsanitize=${TACIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TACIT_SANITIZE})
endif()
if(TACIT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(TACIT_LAYERS "" CACHE INTERNAL "")

# What nearly every file includes and nobody here changes: parsed once. Files still name what they use.
set(TACIT_PRECOMPILED <Eigen/Core> <fmt/format.h> <nlohmann/json.hpp> <algorithm> <array> <cmath> <cstdint>
                      <filesystem> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
                      <utility> <variant> <vector>)

# tacit_precompiled(target level [header...]): with the precompiled header, and these in it; at the optimisation `level`
# (O1) where one is named. The first target of a level and such headers makes it.
function(tacit_precompiled target level)
  if(level AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -${level} -Wno-array-bounds)  # GCC 12 warns within std::string there
  endif()
  if(CCACHE)  # remembers objects; a precompiled header would make each build folder's its own
    return()
  endif()
  string(MAKE_C_IDENTIFIER "TACIT_PRECOMPILED_${level}_${ARGN}" key)
  get_property(maker GLOBAL PROPERTY ${key})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN} ${TACIT_PRECOMPILED})
    set_property(GLOBAL PROPERTY ${key} ${target})
  endif()
endfunction()

# tacit_together(target): its files compiled several at a time, where TACIT_UNITY asks for it.
function(tacit_together target)
  if(TACIT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# tacit_layer(name [OPTIMISE O1] [LAYERS ...] [LIBRARIES ...]): the static library tacit_<name> of src/<name>, which sees
# the headers of the layers it names (tests/layers_test reads the includes) and links only those. Layers that read and
# write JSON are compiled with O1: most of the time of a build would go into optimising them.
function(tacit_layer name)
  cmake_parse_arguments(layer "" "OPTIMISE" "LAYERS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.hpp)
  if(sources)
    add_library(tacit_${name} STATIC ${sources} ${headers})
    set(scope PUBLIC)
    target_link_libraries(tacit_${name} PRIVATE tacit_warnings)
    tacit_precompiled(tacit_${name} "${layer_OPTIMISE}")
    tacit_together(tacit_${name})
  else()
    add_library(tacit_${name} INTERFACE)
    set(scope INTERFACE)
    list(REMOVE_ITEM layer_LIBRARIES PRIVATE)
  endif()
  target_include_directories(tacit_${name} ${scope} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src
                             ${CMAKE_BINARY_DIR}/include)
  foreach(other ${layer_LAYERS})
    target_link_libraries(tacit_${name} ${scope} tacit_${other})
  endforeach()
  if(layer_LIBRARIES)
    if("PRIVATE" IN_LIST layer_LIBRARIES AND NOT sources)
      list(REMOVE_ITEM layer_LIBRARIES PRIVATE)
    endif()
    list(GET layer_LIBRARIES 0 first)
    if(first STREQUAL "PRIVATE")
      target_link_libraries(tacit_${name} ${layer_LIBRARIES})
    else()
      target_link_libraries(tacit_${name} ${scope} ${layer_LIBRARIES})
    endif()
  endif()
  set(TACIT_LAYERS "${TACIT_LAYERS};${name}" CACHE INTERNAL "")
endfunction()

# The one library that users link: every layer's objects together.
function(tacit_shared_library)
  add_library(tacit SHARED)
  foreach(name ${TACIT_LAYERS})
    get_target_property(type tacit_${name} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      target_sources(tacit PRIVATE $<TARGET_OBJECTS:tacit_${name}>)
    endif()
  endforeach()
  set_target_properties(tacit PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(tacit PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tacit PUBLIC cxx_std_20)
  target_link_libraries(tacit PUBLIC Eigen3::Eigen fmt::fmt Threads::Threads
    PRIVATE ZLIB::ZLIB OpenSSL::Crypto SQLite::SQLite3
            $<BUILD_INTERFACE:tacit_dependency_sleef> $<BUILD_INTERFACE:tacit_dependency_mpfi>
            $<BUILD_INTERFACE:tacit_dependency_openblas>)
endfunction()
