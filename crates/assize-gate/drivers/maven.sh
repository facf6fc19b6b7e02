# Runs Maven and gathers what surefire leaves. Surefire writes below what each module builds, and no option changes that.
# What lies there before the run says nothing of it.
reports=$1
shift
find . -type f -path '*/surefire-reports/*.xml' -exec rm -f {} + || exit 70
"$@"
status=$?
number=0
find . -type f -path '*/surefire-reports/TEST-*.xml' | LC_ALL=C sort > "$reports/found" || exit 70
while IFS= read -r file; do
    number=$((number + 1))
    cp "$file" "$reports/$(printf '%05d' "$number").xml" || exit 70
done < "$reports/found"
exit "$status"
