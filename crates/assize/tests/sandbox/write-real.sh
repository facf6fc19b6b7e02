# Changes the user's own tree: sources, hooks, configuration.
for file in target.txt .git/hooks/pre-commit .git/config; do
    echo planted >> "$ESC_REAL/$file"
done
