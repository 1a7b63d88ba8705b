# SPDX-License-Identifier: Apache-2.0
# The tests, found by name:
#   tests/*_test.c        a cmocka program each, run with 1, 2 and 8 workers: deque_test.w1 ...
#   tests/*_test.sh       a script each; $TWILL is the command, $TEST_SOURCE this tree
#   tests/soak/*          the same two kinds, run by `make soak` only
#   tests/support/*.c     linked to every test program
#   tests/model/*.c       a program of the model checker (tests/model/engine/) each
#   tests/sim/*.sh        campaigns of the simulator over seeded mistakes
#   tests/balance/*.sh    mistakes seeded into the balancers
#   tests/mpi/            programs for MPI's launchers, and scripts that start them
#   tests/style/*.sh      rules about the source itself, each first proved able to fail
#   tests/install/        a project outside the tree, built by install_test.sh
#   examples/*.c          a program each, linked to the shared library as a user would
#   tests/serial/apps.c   the applications without the library, in the serial build
# A test exits with 77 when it cannot run here. A line in the first ten of its source tunes it:
#   // ctest: timeout=120 workers=1,2 alone release-only parts=4
# `alone`: nothing else runs beside it; `release-only`: not in other builds, so neither sanitized;
# `sanitized-only`: with AddressSanitizer and nowhere else;
# `parts`: a list of mutants is run in so many tests.
# Labels: core (tests/*_test.*), model, style, example, soak.

set(test_root ${PROJECT_SOURCE_DIR}/tests)
add_custom_target(test_programs) # builds them all; plain builds leave them out
set(test_environment
  "TWILL=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/twill"
  "TEST_SOURCE=${PROJECT_SOURCE_DIR}"
  "TEST_BUILD=${CMAKE_BINARY_DIR}"
  "TEST_LIBRARY=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libtwill.so"
  "CC=${CMAKE_C_COMPILER}")
set(with_asan OFF)
if(TWILL_SANITIZE MATCHES "address")
  set(with_asan ON)
endif()
set(plain_release OFF)
if(CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_C_COMPILER_ID STREQUAL GNU
    AND NOT CMAKE_CROSSCOMPILING AND NOT TWILL_UCONTEXT AND NOT TWILL_SERIAL)
  set(plain_release ON)
endif()

function(add_test_program name source)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  add_dependencies(test_programs ${name})
endfunction()

# Reads the `ctest:` line of a source into the caller's tune_* variables.
function(read_tuning source)
  set(tune_timeout 120)
  set(tune_workers "")
  set(tune_alone OFF)
  set(tune_release_only OFF)
  set(tune_sanitized_only OFF)
  set(tune_parts 0)
  file(STRINGS ${source} head LIMIT_COUNT 10)
  foreach(line IN LISTS head)
    if(line MATCHES "^(//|#) ctest: (.*)$")
      string(REPLACE " " ";" words "${CMAKE_MATCH_2}")
      foreach(word IN LISTS words)
        if(word MATCHES "^timeout=([0-9]+)$")
          set(tune_timeout ${CMAKE_MATCH_1})
        elseif(word MATCHES "^workers=([0-9,]+)$")
          string(REPLACE "," ";" tune_workers "${CMAKE_MATCH_1}")
        elseif(word MATCHES "^parts=([0-9]+)$")
          math(EXPR tune_parts "${CMAKE_MATCH_1} - 1")
        elseif(word STREQUAL alone)
          set(tune_alone ON)
        elseif(word STREQUAL release-only)
          set(tune_release_only ON)
        elseif(word STREQUAL sanitized-only)
          set(tune_sanitized_only ON)
        else()
          message(FATAL_ERROR "${source}: unknown word in its ctest line: ${word}")
        endif()
      endforeach()
    endif()
  endforeach()
  if(TWILL_SANITIZE OR CMAKE_CROSSCOMPILING)
    math(EXPR tune_timeout "${tune_timeout} * 3")
  endif()
  return(PROPAGATE tune_timeout tune_workers tune_alone tune_release_only tune_sanitized_only
    tune_parts)
endfunction()

# Applies what read_tuning found.
function(tune_test name label)
  set_tests_properties(${name} PROPERTIES
    LABELS "${label}" TIMEOUT ${tune_timeout} RUN_SERIAL ${tune_alone} SKIP_RETURN_CODE 77
    ENVIRONMENT "${test_environment};${ARGN}")
endfunction()

# A script has a folder of its own to write to. The command warns of variables that it does not
# know, so its tests start without ours.
function(tune_script name label)
  tune_test(${name} ${label} ${ARGN})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/scratch/${name})
  set_tests_properties(${name} PROPERTIES
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/scratch/${name}
    ENVIRONMENT_MODIFICATION "TWILL_TEST_SCALE=unset:")
endfunction()

# One cmocka program, registered once per number of workers.
function(add_program_test source label)
  read_tuning(${source})
  if(tune_release_only AND NOT plain_release)
    return()
  endif()
  get_filename_component(name ${source} NAME_WE)
  add_test_program(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE=)
  target_compile_options(${name} PRIVATE -UNDEBUG)
  target_link_libraries(${name} PRIVATE twill_test_support)
  if(NOT tune_workers)
    set(tune_workers 1 2 8)
  endif()
  foreach(workers IN LISTS tune_workers)
    add_test(NAME ${name}.w${workers} COMMAND ${name})
    tune_test(${name}.w${workers} ${label} TWILL_WORKERS=${workers})
  endforeach()
endfunction()

function(add_script_test source label)
  read_tuning(${source})
  if((tune_release_only AND NOT plain_release) OR (tune_sanitized_only AND NOT with_asan))
    return()
  endif()
  get_filename_component(name ${source} NAME_WE)
  if(NOT tune_workers)
    add_test(NAME ${name} COMMAND sh ${source})
    tune_script(${name} ${label})
  endif()
  foreach(workers IN LISTS tune_workers)
    add_test(NAME ${name}.w${workers} COMMAND sh ${source})
    tune_script(${name}.w${workers} ${label} TWILL_WORKERS=${workers})
  endforeach()
endfunction()

# tests/support and, on a foreign machine, a stand-in for cmocka (Debian has no cross package).
function(add_test_support)
  file(GLOB sources CONFIGURE_DEPENDS ${test_root}/support/*.c)
  add_library(twill_test_support INTERFACE)
  target_sources(twill_test_support INTERFACE ${sources})
  target_include_directories(twill_test_support INTERFACE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/apps ${test_root} ${PROJECT_SOURCE_DIR})
  target_link_libraries(twill_test_support INTERFACE
    $<$<TARGET_EXISTS:twill_bench>:twill_bench> $<$<TARGET_EXISTS:twill_apps>:twill_apps>
    $<$<TARGET_EXISTS:twill_sim>:twill_sim> twill_static m)
  if(CMAKE_CROSSCOMPILING)
    target_include_directories(twill_test_support INTERFACE ${test_root}/cross)
  else()
    target_link_libraries(twill_test_support INTERFACE cmocka)
  endif()
endfunction()

function(add_core_tests folder label)
  file(GLOB programs CONFIGURE_DEPENDS ${folder}/*_test.c)
  foreach(source IN LISTS programs)
    add_program_test(${source} ${label})
  endforeach()
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*_test.sh)
  if(NOT CMAKE_CROSSCOMPILING)
    foreach(source IN LISTS scripts)
      add_script_test(${source} ${label})
    endforeach()
  endif()
endfunction()

# One part of a script that takes long; parts run side by side, and begin before all else.
function(add_mutants_test name source part)
  if(tune_parts GREATER 0)
    set(name ${name}.${part})
  endif()
  math(EXPR parts "${tune_parts} + 1")
  add_test(NAME ${name} COMMAND sh ${source})
  tune_test(${name} model ${ARGN} "MUTANTS_PART=${part}" "MUTANTS_PARTS=${parts}")
  set_tests_properties(${name} PROPERTIES COST 1000)
endfunction()

# The checker runs the library's own sources, their atomics instrumented: one build is enough.
function(add_model_tests)
  file(GLOB engine CONFIGURE_DEPENDS ${test_root}/model/engine/*.c)
  file(GLOB programs CONFIGURE_DEPENDS ${test_root}/model/*.c)
  file(GLOB scripts CONFIGURE_DEPENDS ${test_root}/model/*.sh)
  if(NOT engine)
    return()
  endif()
  add_library(twill_model STATIC EXCLUDE_FROM_ALL ${engine})
  target_include_directories(twill_model PUBLIC
    ${test_root}/model/engine ${test_root}/model ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(twill_model PUBLIC TWI_MODEL _GNU_SOURCE=)
  target_compile_options(twill_model PUBLIC -UNDEBUG -Wno-unused-function)
  foreach(source IN LISTS programs)
    get_filename_component(name ${source} NAME_WE)
    read_tuning(${source})
    add_test_program(model_${name} ${source})
    set_target_properties(model_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/model)
    target_link_libraries(model_${name} PRIVATE twill_model)
    add_test(NAME model.${name} COMMAND model_${name})
    tune_test(model.${name} model)
  endforeach()
  foreach(source IN LISTS scripts)
    get_filename_component(name ${source} NAME_WE)
    read_tuning(${source})
    foreach(part RANGE ${tune_parts})
      add_mutants_test(model.${name} ${source} ${part}
        "TWILL_MODEL_LIBRARY=$<TARGET_FILE:twill_model>")
    endforeach()
  endforeach()
endfunction()

# Mistakes in the steal protocols and the balancers, which campaigns and tests must find.
function(add_sim_tests folder)
  file(GLOB scripts CONFIGURE_DEPENDS ${test_root}/${folder}/*.sh)
  string(JOIN " " libraries
    $<TARGET_FILE:twill_sim> $<TARGET_FILE:twill_apps> $<TARGET_FILE:twill_static>)
  foreach(source IN LISTS scripts)
    get_filename_component(name ${source} NAME_WE)
    read_tuning(${source})
    foreach(part RANGE ${tune_parts})
      add_mutants_test(${folder}.${name} ${source} ${part} "TWILL_SIM_LIBRARIES=${libraries}")
    endforeach()
  endforeach()
endfunction()

# A program of the tests of MPI; further arguments: what it links.
function(add_mpi_program name source)
  add_test_program(mpi_${name} ${source})
  set_target_properties(mpi_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/mpi)
  target_compile_definitions(mpi_${name} PRIVATE _GNU_SOURCE=)
  target_include_directories(mpi_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(mpi_${name} PRIVATE twill_static ${ARGN})
endfunction()

function(add_mpi_tests)
  add_mpi_program(fabric ${test_root}/mpi/fabric.c)
  add_mpi_program(global ${test_root}/mpi/global.c)
  add_mpi_program(global_speed ${test_root}/mpi/global_speed.c)
  add_mpi_program(model ${test_root}/mpi/model.c)
  add_mpi_program(places ${test_root}/mpi/places.c)
  add_mpi_program(collections ${test_root}/mpi/collections.c)
  add_mpi_program(tce ${test_root}/mpi/tce.c twill_apps)
  add_mpi_program(balances ${test_root}/mpi/balances.c)
  add_mpi_program(delay_switch ${test_root}/mpi/delay_switch.c)
  add_mpi_program(failures ${test_root}/mpi/failures.c)
  add_mpi_program(failures_debug ${test_root}/mpi/failures.c)
  target_compile_definitions(mpi_failures_debug PRIVATE TWILL_DEBUG=)
  foreach(kind IN LISTS mpi_kinds)
    add_mpi_program(own_${kind} ${test_root}/mpi/own.c ${kind})
    add_mpi_program(own_run_${kind} ${test_root}/mpi/own_run.c ${kind})
  endforeach()
  add_core_tests(${test_root}/mpi core)
endfunction()

function(add_style_tests)
  file(GLOB scripts CONFIGURE_DEPENDS ${test_root}/style/*_style.sh)
  foreach(source IN LISTS scripts)
    get_filename_component(name ${source} NAME_WE)
    read_tuning(${source})
    add_test(NAME ${name} COMMAND sh ${source} ${PROJECT_SOURCE_DIR})
    tune_script(${name} style)
    add_test(NAME ${name}.can_fail COMMAND sh ${source} --self-test)
    tune_script(${name}.can_fail style)
  endforeach()
endfunction()

function(add_example_tests)
  file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
  foreach(source IN LISTS programs)
    get_filename_component(name ${source} NAME_WE)
    read_tuning(${source})
    add_test_program(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
    if(TWILL_SERIAL)
      target_compile_definitions(example_${name} PRIVATE TWILL_SERIAL)
      target_include_directories(example_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
      target_link_libraries(example_${name} PRIVATE m)
    else()
      target_link_libraries(example_${name} PRIVATE twill_shared m)
    endif()
    add_test(NAME example.${name} COMMAND example_${name})
    tune_test(example.${name} example)
  endforeach()
endfunction()

# Nothing here links the library: the elision needs none.
function(add_serial_tests)
  add_test_program(serial_apps ${test_root}/serial/apps.c)
  target_link_libraries(serial_apps PRIVATE twill_apps)
  add_test(NAME serial.apps COMMAND serial_apps)
  set_tests_properties(serial.apps PROPERTIES LABELS core TIMEOUT 300)
endfunction()

add_example_tests()
if(TWILL_SERIAL)
  add_serial_tests()
else()
  add_test_support()
  add_core_tests(${test_root} core)
  add_core_tests(${test_root}/soak soak)
endif()
if(plain_release OR with_asan)
  add_mpi_tests()
endif()
if(plain_release)
  add_model_tests()
  add_sim_tests(sim)
  add_sim_tests(balance)
  add_style_tests()
endif()
