package shop

import (
	"fmt"
	"net/http"

	"github.com/gorilla/mux"
)

func orderRoutes(r *mux.Router) {
	r.HandleFunc("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "order", mux.Vars(r)["id"])
	}).Methods("GET")
}
