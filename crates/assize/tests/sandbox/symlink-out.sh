# Writes through a link that leads out of the work copy.
ln -s "$ESC_REAL/target.txt" link
echo gone > link
