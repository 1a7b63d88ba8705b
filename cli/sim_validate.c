#include "cli/sim.h"
int sim_validate_main(int argc, char **argv){(void)argc,(void)argv;return 0;}
void sim_validate_help(FILE *file){(void)file;}
