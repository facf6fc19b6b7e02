# Prints 32 MB.
yes | head -c 32000000
echo DONE
