# SPDX-License-Identifier: Apache-2.0
# The simulator's machine files as a C source, so that the command needs no files beside it. It is
# written while configuring: nothing has to run that was built.

file(GLOB machine_files CONFIGURE_DEPENDS machines/*.machine)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${machine_files})
set(machine_names "")
set(machine_texts "")
foreach(path IN LISTS machine_files)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  string(APPEND machine_names "    \"${name}\",\n")
  string(APPEND machine_texts "    \"${text}\",\n")
endforeach()
set(machine_source ${CMAKE_BINARY_DIR}/machines.c)
file(CONFIGURE OUTPUT ${machine_source} @ONLY CONTENT [[
// Written by cmake/machines.cmake.
#include "sim/machines.h"

const char *const sim_machine_builtin_names[] = {
@machine_names@    0,
};

const char *const sim_machine_builtin_texts[] = {
@machine_texts@};
]])
