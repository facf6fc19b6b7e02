module example.org/shop

go 1.23

require github.com/gorilla/mux v1.8.1
