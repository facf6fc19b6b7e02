# Changes devices and control groups of the machine.
for file in /sys/kernel/uevent_helper /sys/kernel/mm/ksm/run /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs \
    /sys/fs/cgroup/*/release_agent /sys/power/state; do
    # Opening it is enough to know, and changes nothing.
    [ -e "$file" ] && (: >> "$file") && echo "ESCAPED $file"
done
