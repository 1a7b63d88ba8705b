# SPDX-License-Identifier: Apache-2.0
# Text files as a C source, so that programs need no files beside them. It is written while
# configuring: nothing has to run that was built.

# embed_texts(<output> <header> <prefix> <file...>): the source <output>, which includes <header>
# and defines <prefix>_names, ended by NULL, and <prefix>_texts. A name is a file's without its end.
function(embed_texts output header prefix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(names "")
  set(texts "")
  foreach(path IN LISTS ARGN)
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND names "    \"${name}\",\n")
    string(APPEND texts "    \"${text}\",\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Written by cmake/embed.cmake.
#include "@header@"

const char *const @prefix@_names[] = {
@names@    0,
};

const char *const @prefix@_texts[] = {
@texts@};
]])
endfunction()
