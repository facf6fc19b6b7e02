# Writes one file of 32 MB.
exec head -c 32000000 /dev/zero > large
