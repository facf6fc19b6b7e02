# Overwrites what another gate has reported.
for folder in "$ESC_OTHER" ../other "$ESC_REPORTS/../other" /assize/other; do
    echo forged > "$folder/report.xml"
done
