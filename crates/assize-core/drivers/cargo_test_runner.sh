# Compiles the runner when it is first needed, and becomes it.
folder=$(dirname "$0")
runner="$folder/cargo_test_runner"
if [ ! -x "$runner" ]; then
    # Several may come at the same time; each compiles on its own, and the last one stays.
    mkdir "$folder/build.$$" || exit 102
    rustc --edition 2021 -o "$folder/build.$$/runner" "$folder/cargo_test_runner.rs" >&2 || exit 102
    mv "$folder/build.$$/runner" "$runner"
    rm -r "$folder/build.$$"
fi
exec "$runner" "$@"
