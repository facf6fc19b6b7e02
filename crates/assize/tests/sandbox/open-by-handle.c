/* Opens files by number, past every mount. */
#include "escape.h"

int main(void) {
    struct { struct file_handle handle; char bytes[128]; } at = { .handle.handle_bytes = 128 };
    int mount, folder = open(".", O_RDONLY);
    if (name_to_handle_at(AT_FDCWD, given("ESC_ANCHOR"), &at.handle, &mount, 0) != 0) return 1;
    if (open_by_handle_at(folder, &at.handle, O_RDONLY) >= 0) escaped("opened by handle");
}
