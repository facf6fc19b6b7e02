# Reads a secret through the root and the current folder of other processes.
for process in 1 "$PPID" "$ESC_VICTIM" /proc/[0-9]*; do
    process=${process#/proc/}
    cat "/proc/$process/root$ESC_SECRET" "/proc/$process/cwd/secret.txt"
done
