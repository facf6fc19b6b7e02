package shop

import (
	"net/http"

	"github.com/gorilla/mux"
)

func adminRoutes(r *mux.Router) {
	r.PathPrefix("/admin/").Handler(http.NotFoundHandler())
}
