# Goes on and on, and says so.
while :; do
    echo here
    sleep 0.1
done
