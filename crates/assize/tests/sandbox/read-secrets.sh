# Reads what lies in the home folder, by its path and by the variable.
for home in "$ESC_HOME" "$HOME"; do
    cat "$home"/.ssh/* "$home"/.aws/* "$home"/.netrc "$home"/.npmrc "$home"/.git-credentials \
        "$home"/.cargo/credentials.toml "$home"/.config/gh/hosts.yml "$home"/.docker/config.json \
        "$home"/.gnupg/key "$home"/.cargo/bin/../credentials.toml "$home"/notes.txt
done
