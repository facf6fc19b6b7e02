# Puts a link where a report is expected, so that whoever reads the report reads a secret.
ln -s "$ESC_SECRET" "$ESC_REPORTS/report.xml"
