package httpio

import "net/http"

// otherMethod stands for every method that is none of net/http's.
const otherMethod = "OTHER"

// MethodLabel returns the request method for logs and metrics: one of the nine
// of net/http, or OTHER. A method may be any token of many kilobytes, so its
// text must not become a label or a field.
func MethodLabel(r *http.Request) string {
	switch method := requestMethod(r); method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	default:
		return otherMethod
	}
}
