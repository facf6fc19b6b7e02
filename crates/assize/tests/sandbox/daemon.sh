# Leaves a process behind that acts after the run.
setsid sh -c 'sleep 1; echo late > late' > /dev/null 2>&1 < /dev/null &
