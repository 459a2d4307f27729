package shapea

import "net/http"

// listing is the answer of a list of whole values, which reads them while it
// writes them.
type listing func(w http.ResponseWriter) error

// VisitFindTasksResponse implements oasa.FindTasksResponseObject.
func (l listing) VisitFindTasksResponse(w http.ResponseWriter) error { return l(w) }

// VisitFindProcessesResponse implements oasa.FindProcessesResponseObject.
func (l listing) VisitFindProcessesResponse(w http.ResponseWriter) error { return l(w) }

// VisitFindTenantUsersResponse implements oasa.FindTenantUsersResponseObject.
func (l listing) VisitFindTenantUsersResponse(w http.ResponseWriter) error { return l(w) }
