# Poisons toolchains and package stores.
for file in .cargo/bin/cargo .cargo/registry/src/lib.rs .rustup/toolchains/rustc .pyenv/shims/python .m2/repository/a.jar; do
    echo poisoned >> "$ESC_HOME/$file"
done
