# Plants something that the system runs later.
for folder in /usr /usr/bin /usr/local/bin /usr/lib /etc /etc/cron.d /etc/profile.d /var/spool/cron /opt /run /var/tmp /tmp; do
    echo planted > "$folder/assize-escape-$ESC_NONCE"
done
