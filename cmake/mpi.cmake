# SPDX-License-Identifier: Apache-2.0
# The MPI plugins: src/fabric/mpi.c once for each MPI that is found, by asking its compiler wrapper.
# They hold the few parts of the library that they need, and export one symbol.

set(plugin_sources src/fabric/mpi.c src/fabric/carried.c src/fabric/inbox.c src/fabric/watch.c
  src/fabric/launcher.c src/fabric/sharing.c src/fabric/yield.c src/base/os.c
  src/base/fail.c)
set(plugin_exports ${CMAKE_BINARY_DIR}/plugin.map)
file(WRITE ${plugin_exports} "{ global: twi_mpi_plugin; local: *; };\n")
set(mpi_plugins "")
set(mpi_kinds "") # also targets, for what links an MPI itself

# Sets mpi_kind to openmpi or mpich, and mpi_flags to what the wrapper adds; empty if it is neither.
function(ask_wrapper wrapper)
  set(mpi_kind "")
  set(probe ${CMAKE_BINARY_DIR}/mpi_probe.c)
  file(WRITE ${probe} "#include <mpi.h>\n")
  execute_process(COMMAND ${wrapper} -E -dM ${probe} OUTPUT_VARIABLE macros ERROR_QUIET)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown ERROR_QUIET)
  if(macros MATCHES "define OPEN_MPI ")
    set(mpi_kind openmpi)
  elseif(macros MATCHES "define MPICH_VERSION ")
    set(mpi_kind mpich)
  endif()
  separate_arguments(mpi_flags UNIX_COMMAND "${shown}")
  return(PROPAGATE mpi_kind mpi_flags)
endfunction()

function(add_mpi_plugin kind flags)
  set(headers ${flags})
  list(FILTER headers INCLUDE REGEX "^-I")
  list(TRANSFORM headers REPLACE "^-I" "")
  set(libraries ${flags})
  list(FILTER libraries INCLUDE REGEX "^-[lL]")
  add_library(${kind} INTERFACE)
  target_include_directories(${kind} SYSTEM INTERFACE ${headers})
  target_link_libraries(${kind} INTERFACE ${libraries})
  set(name twill_mpi_${kind})
  add_library(${name} MODULE ${plugin_sources})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME twill-mpi-${kind}
    INSTALL_RPATH_USE_LINK_PATH ON)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE=)
  target_include_directories(${name} PRIVATE include src)
  target_link_options(${name} PRIVATE -Wl,--version-script=${plugin_exports})
  target_link_libraries(${name} PRIVATE ${kind} ${CMAKE_DL_LIBS})
endfunction()

if(NOT CMAKE_CROSSCOMPILING)
  foreach(wrapper mpicc.openmpi mpicc.mpich mpicc)
    string(MAKE_C_IDENTIFIER TWILL_${wrapper} variable)
    find_program(${variable} ${wrapper})
    mark_as_advanced(${variable})
    if(${variable})
      ask_wrapper(${${variable}})
      if(mpi_kind AND NOT TARGET twill_mpi_${mpi_kind})
        add_mpi_plugin(${mpi_kind} "${mpi_flags}")
        list(APPEND mpi_plugins twill_mpi_${mpi_kind})
        list(APPEND mpi_kinds ${mpi_kind})
      endif()
    endif()
  endforeach()
endif()
