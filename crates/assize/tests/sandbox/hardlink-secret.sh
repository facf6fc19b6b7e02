# Gives a secret a second name in the work copy.
ln "$ESC_SECRET" hard
