# find_package(whence): tests of a CMake project under whence.
#
#   whence_check(TARGET... [PREPARE] [OPTIONS WORD...])
#     Tests that run one of these programs (add_test(NAME … COMMAND target …), gtest_discover_tests, …) run it
#     under `whence run` with these options. PREPARE instruments the programs when they are built, so that no
#     test waits for it.
#   whence_add_test(NAME name COMMAND word... [OPTIONS WORD...] [WORKING_DIRECTORY folder])
#     Like add_test, for a command of any kind: the programs that it starts are checked, too.
#
# Both leave the tests as they are unless the project is compiled with whence-cc or whence-c++, as with
#   cmake -DCMAKE_C_COMPILER=whence-cc -DCMAKE_CXX_COMPILER=whence-c++
# so the calls can stay in the project. `whence::headers` is a target with the folder of whence/leak.h and its like.
#
# Variables: WHENCE_EXECUTABLE, WHENCE_CC, WHENCE_CXX; WHENCE_OPTIONS, options of all tests;
# WHENCE_CHECKS, whether the project is compiled so.

get_filename_component(_whence_bin "${CMAKE_CURRENT_LIST_DIR}/../../../bin" ABSOLUTE)
find_program(WHENCE_EXECUTABLE whence HINTS "${_whence_bin}")
find_program(WHENCE_CC whence-cc HINTS "${_whence_bin}")
find_program(WHENCE_CXX whence-c++ HINTS "${_whence_bin}")
unset(_whence_bin)
mark_as_advanced(WHENCE_EXECUTABLE WHENCE_CC WHENCE_CXX)

if(NOT WHENCE_EXECUTABLE)
  set(whence_FOUND FALSE)
  set(whence_NOT_FOUND_MESSAGE "the command whence is not in PATH; set WHENCE_EXECUTABLE to its path")
  return()
endif()

set(WHENCE_OPTIONS "" CACHE STRING "Options of 'whence run' for all tests")

set(WHENCE_CHECKS FALSE)
foreach(_whence_compiler IN ITEMS "${CMAKE_C_COMPILER}" "${CMAKE_CXX_COMPILER}")
  get_filename_component(_whence_name "${_whence_compiler}" NAME)
  if(_whence_name MATCHES "^whence-(cc|c\\+\\+)$")
    set(WHENCE_CHECKS TRUE)
  endif()
endforeach()
unset(_whence_compiler)
unset(_whence_name)

if(NOT TARGET whence::headers)
  execute_process(COMMAND "${WHENCE_EXECUTABLE}" include
    OUTPUT_VARIABLE _whence_include OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  add_library(whence::headers INTERFACE IMPORTED)
  set_property(TARGET whence::headers PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${_whence_include}")
  unset(_whence_include)
endif()

function(_whence_left_out what)
  get_property(said GLOBAL PROPERTY _WHENCE_SAID)
  if(NOT said)
    set_property(GLOBAL PROPERTY _WHENCE_SAID TRUE)
    message(STATUS "${what}: tests run unchecked; configure with -DCMAKE_C_COMPILER=whence-cc "
      "-DCMAKE_CXX_COMPILER=whence-c++ to check them")
  endif()
endfunction()

function(whence_check)
  cmake_parse_arguments(PARSE_ARGV 0 arg "PREPARE" "" "OPTIONS")
  if(NOT WHENCE_CHECKS)
    _whence_left_out(whence_check)
    return()
  endif()
  # TEST_LAUNCHER is for tests alone; before CMake 3.29 only the emulator of cross compiling stands there.
  set(property TEST_LAUNCHER)
  if(CMAKE_VERSION VERSION_LESS 3.29)
    set(property CROSSCOMPILING_EMULATOR)
  endif()
  set(launcher "${WHENCE_EXECUTABLE}" run ${WHENCE_OPTIONS} ${arg_OPTIONS})
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    set_property(TARGET ${target} PROPERTY ${property} "${launcher}")
    if(arg_PREPARE)
      add_custom_command(TARGET ${target} POST_BUILD VERBATIM
        COMMAND "${WHENCE_EXECUTABLE}" prepare --quiet $<TARGET_FILE:${target}>)
    endif()
  endforeach()
endfunction()

function(whence_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;WORKING_DIRECTORY" "COMMAND;OPTIONS")
  set(launcher)
  if(WHENCE_CHECKS)
    set(launcher "${WHENCE_EXECUTABLE}" run --trace-children ${WHENCE_OPTIONS} ${arg_OPTIONS})
    list(GET arg_COMMAND 0 program)
    if(TARGET ${program})
      list(REMOVE_AT arg_COMMAND 0)
      list(INSERT arg_COMMAND 0 $<TARGET_FILE:${program}>)
    endif()
  else()
    _whence_left_out(whence_add_test)
  endif()
  set(folder)
  if(arg_WORKING_DIRECTORY)
    set(folder WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${launcher} ${arg_COMMAND} ${folder})
endfunction()
