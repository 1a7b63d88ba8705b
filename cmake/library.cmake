# SPDX-License-Identifier: Apache-2.0
# libtwill, shared and static, from one set of objects.

file(GLOB library_sources CONFIGURE_DEPENDS src/*/*.c)
list(FILTER library_sources EXCLUDE REGEX "/src/base/context_[a-z0-9_]+\\.c$")
# Of plugins: cmake/mpi.cmake.
list(FILTER library_sources EXCLUDE REGEX "/src/fabric/(mpi|carried|watch|launcher)\\.c$")

if(NOT TWILL_UCONTEXT AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(context_switch src/base/context_x86_64.S)
elseif(NOT TWILL_UCONTEXT AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(context_switch src/base/context_aarch64.S)
else()
  set(context_switch src/base/context_ucontext.c)
  add_compile_definitions(TWI_UCONTEXT)
endif()

find_package(Threads REQUIRED)
# Only their headers: the libraries are loaded at run time, if at all.
find_path(HWLOC_INCLUDE hwloc.h)
find_path(URING_INCLUDE liburing.h)
find_path(VALGRIND_INCLUDE valgrind/valgrind.h) # its marks do nothing outside valgrind

add_library(twill_objects OBJECT ${library_sources} ${context_switch})
set_target_properties(twill_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(twill_objects PUBLIC include PRIVATE src)
target_compile_definitions(twill_objects PRIVATE _GNU_SOURCE=)
if(VALGRIND_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
  target_compile_definitions(twill_objects PRIVATE TWI_VALGRIND)
  target_include_directories(twill_objects PRIVATE ${VALGRIND_INCLUDE})
endif()
if(HWLOC_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
  target_compile_definitions(twill_objects PRIVATE TWI_HWLOC)
  target_include_directories(twill_objects PRIVATE ${HWLOC_INCLUDE})
endif()
if(URING_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
  target_compile_definitions(twill_objects PRIVATE TWI_URING)
  target_include_directories(twill_objects PRIVATE ${URING_INCLUDE})
endif()

foreach(kind shared static)
  string(TOUPPER ${kind} KIND)
  add_library(twill_${kind} ${KIND} $<TARGET_OBJECTS:twill_objects>)
  set_target_properties(twill_${kind} PROPERTIES
    OUTPUT_NAME twill VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINKER_LANGUAGE C)
  target_include_directories(twill_${kind} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(twill_${kind} PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS} m)
endforeach()
target_link_options(twill_shared PRIVATE -Wl,-z,now)
if(NOT TWILL_SANITIZE) # their symbols come with the program
  target_link_options(twill_shared PRIVATE -Wl,-z,defs)
endif()
add_library(twill::twill ALIAS twill_shared)
add_library(twill::static ALIAS twill_static)
