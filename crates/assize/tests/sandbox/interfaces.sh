# Lists the network interfaces of the machine.
cat /proc/net/dev
ls /sys/class/net
