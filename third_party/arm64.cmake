# Toolchain file: builds for 64-bit ARM on another processor and runs what was built in qemu (tests/arm.sh).
# CMAKE_FIND_ROOT_PATH must name a folder with ARM's libraries, laid out as on a Debian for ARM.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# The libraries of that folder stand where ARM's loader looks without being told.
set(CMAKE_SKIP_RPATH ON)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(REGARD_QEMU qemu-aarch64-static REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${REGARD_QEMU} -L ${CMAKE_FIND_ROOT_PATH})
