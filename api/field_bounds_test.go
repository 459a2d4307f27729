package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// The longest and the shortest text of a bounded field is accepted, one
// character more or less is refused at its place.
func TestBoundsOfFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	queue := strings.Repeat("q", 255)
	s.Lists(worker.ID, "q", queue)
	fields := map[string]string{
		"identity": `"w"`, "taskQueue": `"q"`, "hostname": `"h"`, "ip": `"127.0.0.1"`, "workflowTypes": `["W"]`, "activityTypes": `["A"]`,
	}
	body := func(name, value string) string {
		members := []string{`"` + name + `":` + value}
		for other, value := range fields {
			if other != name {
				members = append(members, `"`+other+`":`+value)
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for _, base := range []string{apitest.ShapeA, apitest.ShapeB} {
		for _, c := range []struct {
			name, before, after, at string
			character               string
			least, most             int
		}{
			{"identity", `"`, `"`, "/identity", "é", 1, 255},
			{"taskQueue", `"`, `"`, "/taskQueue", "q", 1, 255},
			{"hostname", `"`, `"`, "/hostname", "é", 1, 255},
			{"ip", `"`, `"`, "/ip", "1", 7, 40},
			{"workflowTypes", `["W","`, `"]`, "/workflowTypes/1", "é", 1, 255},
			{"activityTypes", `["A","`, `"]`, "/activityTypes/1", "é", 1, 255},
		} {
			of := func(length int) *http.Request {
				return apitest.Request(t, worker, "POST", base+"/workers", body(c.name, c.before+strings.Repeat(c.character, length)+c.after))
			}
			for _, length := range []int{c.least, c.most} {
				got := s.Send(of(length))
				require.Contains(t, []int{200, 201}, got.Status, "%s of %d: %s", c.name, length, got.Body)
			}
			for _, length := range []int{c.least - 1, c.most + 1} {
				require.Equal(t, c.at, s.RefusedBy(of(length)).Errors[0].Location, "%s of %d", c.name, length)
			}
		}
		for name := range fields {
			if strings.HasSuffix(name, "Types") {
				continue
			}
			r := apitest.Request(t, worker, "POST", base+"/workers", strings.Replace(body(name, "0"), `"`+name+`":0,`, "", 1))
			require.Equal(t, "/"+name, s.RefusedBy(r).Errors[0].Location, "%s is required", name)
		}
	}

	process := func(subject string) string {
		return `{"subject":"` + subject + `","processDefinition":{"id":"` + demo.Loan().String() + `"}}`
	}
	for _, subject := range []string{"é", strings.Repeat("é", 255)} {
		require.Contains(t, s.Post(201, worker, apitest.ShapeA+"/processes", process(subject)).Body, `"subject":"`+subject+`"`)
	}
	for _, subject := range []string{"", strings.Repeat("é", 256)} {
		r := apitest.Request(t, worker, "POST", apitest.ShapeA+"/processes", process(subject))
		require.Equal(t, "/subject", s.RefusedBy(r).Errors[0].Location)
	}
}

// Lists of both shapes take pages of 0 to 1000 from page 0 on.
func TestBoundsOfPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, path := range []string{
		apitest.ShapeA + "/principals", apitest.ShapeA + "/tenant-users", apitest.ShapeA + "/processes", apitest.ShapeA + "/tasks", apitest.ShapeA + "/robots",
		"/principals", "/tenants", "/tenant-users", "/processes", "/process-items", "/business-artifacts", "/robots",
	} {
		require.Equal(t, 25, s.List(demo.Alice(), path).Metadata.Size, path)
		for _, query := range []string{"size=0", "size=1000", "page=0"} {
			s.Get(200, demo.Alice(), path+"?"+query)
		}
		for _, query := range []string{"size=-1", "size=1001", "page=-1", "size=x", "sort=name,up"} {
			failure := s.RefusedBy(apitest.Request(t, demo.Alice(), http.MethodGet, path+"?"+query, ""))
			require.Equal(t, strings.SplitN(query, "=", 2)[0], failure.Errors[0].Location, path)
			require.Equal(t, "query", failure.Errors[0].LocationType, path)
		}
	}
}
