package shop

import (
	"fmt"
	"net/http"
)

func userRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "user", r.PathValue("id"))
	})
}
