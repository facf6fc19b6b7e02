# Leaves a process behind that acts after the run.
setsid sh -c 'echo > begun; sleep 1; echo late > late' > /dev/null 2>&1 < /dev/null &
while [ ! -e begun ]; do sleep 0.05; done
