# Reads what only root may read.
cat /etc/shadow /etc/gshadow /etc/ssl/private/* && echo ESCAPED
