package shop

import (
	"fmt"
	"net/http"

	"github.com/gorilla/mux"
)

func userRoutes(r *mux.Router) {
	r.HandleFunc("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "user", mux.Vars(r)["id"])
	}).Methods("GET")
}
