x
x2
