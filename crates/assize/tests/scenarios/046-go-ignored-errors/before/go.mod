module example.org/tools

go 1.23
