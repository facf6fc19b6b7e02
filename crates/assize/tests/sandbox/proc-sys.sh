# Changes settings of the kernel.
echo "$ESC_SETTING" > /proc/sys/kernel/printk_ratelimit_burst
