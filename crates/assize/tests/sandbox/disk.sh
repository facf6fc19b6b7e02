# Fills the disk with many files.
i=0
while [ $i -lt 64 ]; do
    head -c 4000000 /dev/urandom > "file-$i" || exit 1
    i=$((i + 1))
done
sleep 0.5
echo DONE
