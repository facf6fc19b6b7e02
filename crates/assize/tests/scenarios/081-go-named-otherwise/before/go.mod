module example.org/coll

go 1.23
