module example.org/count

go 1.19
