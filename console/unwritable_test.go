package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// No form of the console fails with 500 while the database accepts no changes.
func TestFormsWithoutAWritableDatabase(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]pgtest.Fault{"read-only": pgtest.ReadOnly(), "disk full": pgtest.DiskFull()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := makeSite(t)
			s.t = t
			c := newCast(s)
			client := s.clientWithToken(c.secrets["owner"])
			task, process := c.createTask(s, ""), c.matrixSubject(s, row{path: "processes/:id"})
			fault.Apply(t, s.database)
			refused := 0
			for _, r := range slices.Concat(rowsOf(matrix), rowsOf(processMatrix)) {
				if r.path == "live" || r.path == "sign-out" || strings.HasPrefix(r.path, "sign-in") {
					continue
				}
				id := task
				if strings.HasPrefix(r.path, "processes") {
					id = process.id
				}
				path := strings.NewReplacer(":id", id.String(), ":run", id.String(), ":code", r.variant, ":how", r.variant, ":api", "admin",
					":operation", "applyResources", ":schema", "Incident").Replace(r.path)
				body := url.Values{
					"task": {task.String()}, "request": {uuid.NewString()}, "owner": {c.ids["owner"].String()}, "text": {"Hello"},
					"base": {"{}"}, "origin": {"{}"}, "once": {uuid.NewString()}, "do": {"complete"},
				}
				answer := s.sendRequest(client, r.method, path, body)
				if answer.status >= http.StatusInternalServerError {
					require.Equal(t, http.StatusServiceUnavailable, answer.status, "%s %s", r.method, path)
					require.NotEmpty(t, answer.header.Get("Retry-After"), path)
					refused++
				}
			}
			require.Positive(t, refused)
		})
	}
}
