#include "apps/regard/program.h"

int main(int argc, char** argv) { return regard::program::run_program(argc, argv); }
