# Changes devices and control groups of the machine.
for file in /sys/kernel/uevent_helper /sys/kernel/mm/ksm/run /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs \
    /sys/fs/cgroup/*/release_agent /sys/power/state; do
    [ -w "$file" ] && echo "ESCAPED $file"
done
for door in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/pids/cgroup.procs; do
    echo $$ > "$door" && echo "ESCAPED $door"
done
