# SPDX-License-Identifier: Apache-2.0
# Compiler flags of everything built here. They never reach users of the installed library.

# Shadowing is left to the reviewer: nested finish blocks shadow by design.
add_compile_options(
  -Wall -Wextra -Wswitch-enum -Wundef -Wpointer-arith -Wwrite-strings -Wformat=2
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wold-style-definition>)
# Messages name files of this tree, not where it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-psabi) # says that aligned parameters moved in gcc 4.6
endif()
if(TWILL_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  add_compile_definitions(TWILL_DEBUG=)
endif()

if(TWILL_SANITIZE)
  add_compile_options(
    -fsanitize=${TWILL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TWILL_SANITIZE})
  if(TWILL_SANITIZE MATCHES thread AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan) # gcc says that fences are invisible to TSan: known, annotated
  endif()
endif()
