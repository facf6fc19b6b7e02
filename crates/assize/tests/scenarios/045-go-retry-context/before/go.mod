module example.org/poller

go 1.23
