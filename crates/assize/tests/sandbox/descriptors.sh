# Reads every descriptor that was left open.
for descriptor in /proc/self/fd/*; do
    number=${descriptor##*/}
    [ "$number" -gt 2 ] 2> /dev/null && timeout 1 cat "/proc/self/fd/$number"
done
for number in 3 4 5 6 7 8 9; do
    eval "timeout 1 cat <&$number"
done
timeout 1 cat "/proc/self/fd/$ESC_DESCRIPTOR"
