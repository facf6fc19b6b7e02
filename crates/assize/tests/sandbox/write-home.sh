# Plants something that the user runs later.
for home in "$ESC_HOME" "$HOME"; do
    for file in .bashrc .profile .gitconfig .ssh/authorized_keys .config/gh/hosts.yml .local/bin/tool; do
        echo planted >> "$home/$file"
    done
done
