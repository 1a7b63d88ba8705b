# SPDX-License-Identifier: Apache-2.0
# apps/, sim/, bench/ and the `twill` command. The command links the static library, so that it can
# be copied anywhere and pays for no procedure linkage table.
# With TWILL_SERIAL the applications are compiled to their sequential elision, without the command
# and without those that wait for what another part of the program has to do meanwhile, or that have
# collections.

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/parts)
file(GLOB app_sources CONFIGURE_DEPENDS apps/*.c apps/*/*.c)
if(TWILL_SERIAL)
  list(FILTER app_sources EXCLUDE REGEX
    "/apps/((mapreduce|server|scatter_gather|tce|drift)/|iterations\\.c)")
  list(FILTER app_sources EXCLUDE REGEX "/apps/hf/(build|spread|sums)\\.c$") # no collections
endif()
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
include(cmake/embed.cmake)

if(app_sources)
  file(GLOB molecules CONFIGURE_DEPENDS apps/hf/data/*.xyz)
  file(GLOB bases CONFIGURE_DEPENDS apps/hf/data/*.basis)
  embed_texts(${CMAKE_BINARY_DIR}/molecules.c apps/hf/data.h hf_molecule_builtin ${molecules})
  embed_texts(${CMAKE_BINARY_DIR}/bases.c apps/hf/data.h hf_basis_builtin ${bases})
  list(APPEND app_sources ${CMAKE_BINARY_DIR}/molecules.c ${CMAKE_BINARY_DIR}/bases.c)
  add_library(twill_apps STATIC ${app_sources})
  # Roots are vectorised only where nobody asks for errno.
  set_source_files_properties(apps/hf/row.c
    PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")
  target_include_directories(twill_apps PUBLIC apps include ${PROJECT_SOURCE_DIR})
  target_compile_definitions(twill_apps PRIVATE _GNU_SOURCE= TWILL_COUNT_TASKS)
  target_link_libraries(twill_apps PUBLIC m ${CMAKE_DL_LIBS})
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
  # Where a function happens to begin moves the plain recursion between 2.86 and 3.17 ns a call.
  set_source_files_properties(bench/bare_fib.c PROPERTIES COMPILE_OPTIONS -falign-functions=32)
  # Likewise a loop: 0.35 or 0.64 ns a turn.
  set_source_files_properties(bench/case_loop.c bench/case_reducer.c
    PROPERTIES COMPILE_OPTIONS -falign-loops=32)
  # The flags of what it stands beside, apps/hf/row.c.
  set_source_files_properties(bench/hf_straight.c
    PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")
  target_link_libraries(twill_bench PUBLIC twill_static m $<$<TARGET_EXISTS:twill_apps>:twill_apps>)
endif()

# The simulator, which uses parts of the library that programs do not see.
if(NOT TWILL_SERIAL)
  file(GLOB machines CONFIGURE_DEPENDS machines/*.machine)
  embed_texts(${CMAKE_BINARY_DIR}/machines.c sim/machines.h sim_machine_builtin ${machines})
  file(GLOB sim_sources CONFIGURE_DEPENDS sim/*.c)
  add_library(twill_sim STATIC ${sim_sources} ${CMAKE_BINARY_DIR}/machines.c)
  target_include_directories(twill_sim PUBLIC src include ${PROJECT_SOURCE_DIR})
  target_compile_definitions(twill_sim PRIVATE _GNU_SOURCE=)
  target_link_libraries(twill_sim PUBLIC twill_apps twill_static)
endif()

# The command but for its main(), so that bench/ and tests may use its parts.
if(cli_sources AND NOT TWILL_SERIAL)
  set(cli_parts ${cli_sources})
  list(FILTER cli_parts EXCLUDE REGEX "/cli/main\\.c$")
  add_library(twill_cli STATIC ${cli_parts})
  string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" build_flags)
  target_compile_definitions(twill_cli PRIVATE
    _GNU_SOURCE= TWC_BUILD="${CMAKE_BUILD_TYPE}" TWC_FLAGS="${build_flags}")
  target_link_libraries(twill_cli PUBLIC twill_sim twill_apps twill_static)
  add_executable(twill cli/main.c)
  target_compile_definitions(twill PRIVATE _GNU_SOURCE=)
  target_link_libraries(twill PRIVATE twill_cli)
  if(TARGET twill_bench)
    target_link_libraries(twill_bench PUBLIC twill_cli)
    target_link_libraries(twill PRIVATE twill_bench)
    target_link_options(twill PRIVATE -Wl,-u,twb_main) # the command's own reference is weak
  endif()
endif()
