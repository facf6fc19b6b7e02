# Reads the variables of every process there is, and its own.
env
cat /proc/*/environ | tr '\0' '\n'
