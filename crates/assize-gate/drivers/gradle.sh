# Runs Gradle with a home of its own, since it writes to that wherever it is. What was fetched before is read from the user's.
home=${GRADLE_USER_HOME:-$HOME/.gradle}
GRADLE_USER_HOME=$(mktemp -d) || exit 70
export GRADLE_USER_HOME
if [ -d "$home/caches/modules-2" ]; then
    export GRADLE_RO_DEP_CACHE="$home/caches"
fi
if [ -d "$home/wrapper" ]; then
    ln -s "$home/wrapper" "$GRADLE_USER_HOME/wrapper" || exit 70
fi
exec "$@"
