/* Opens sockets that lead to the hypervisor, to hardware or into rarely used code. */
#include "escape.h"

int main(void) {
    int families[] = { 3, 4, 5, 9, 12, 15, 17, 21, 26, 27, 29, 30, 31, 36, 38, 39, 40, 41, 42, 43, 44, 45 };
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
        for (int kind = 1; kind <= 5; kind++)
            if (socket(families[i], kind, 0) >= 0) printf("ESCAPED family %d kind %d\n", families[i], kind);
}
