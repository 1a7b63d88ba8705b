# SPDX-License-Identifier: Apache-2.0
# apps/, bench/ and the `twill` command. The command links the static library, so that it can be
# copied anywhere and pays for no procedure linkage table.
# With TWILL_SERIAL the applications are compiled to their sequential elision, without the command.

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/parts)
file(GLOB app_sources CONFIGURE_DEPENDS apps/*.c apps/*/*.c)
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c)

if(app_sources)
  add_library(twill_apps STATIC ${app_sources})
  target_include_directories(twill_apps PUBLIC apps include ${PROJECT_SOURCE_DIR})
  target_compile_definitions(twill_apps PRIVATE _GNU_SOURCE=)
  target_link_libraries(twill_apps PUBLIC m)
  if(TWILL_SERIAL)
    target_compile_definitions(twill_apps PUBLIC TWILL_SERIAL)
  else()
    target_link_libraries(twill_apps PUBLIC twill_static)
  endif()
endif()

if(bench_sources AND NOT TWILL_SERIAL)
  add_library(twill_bench STATIC ${bench_sources})
  target_include_directories(twill_bench PUBLIC bench include)
  target_compile_definitions(twill_bench PRIVATE _GNU_SOURCE=)
  target_link_libraries(twill_bench PUBLIC twill_static m $<$<TARGET_EXISTS:twill_apps>:twill_apps>)
endif()

if(cli_sources AND NOT TWILL_SERIAL)
  add_executable(twill ${cli_sources})
  target_include_directories(twill PRIVATE cli)
  target_compile_definitions(twill PRIVATE _GNU_SOURCE= TWC_BUILD="${CMAKE_BUILD_TYPE}")
  target_link_libraries(twill PRIVATE
    $<$<TARGET_EXISTS:twill_bench>:twill_bench> $<$<TARGET_EXISTS:twill_apps>:twill_apps>
    twill_static)
  install(TARGETS twill)
endif()
