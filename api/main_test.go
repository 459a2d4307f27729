package api_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/confine"
	"github.com/procession-dev/procession/form/press"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/internal/testkit/pgtest"
)

// contracts check every exchange of every test and remember what they saw, by
// the names that tables of operations call them by: A, B, admin.
var contracts = mustLoad()

// mustLoad loads every contract that the router mounts, so that none can be
// forgotten.
func mustLoad() map[string]*contracttest.Contract {
	loaded := map[string]*contracttest.Contract{}
	for document, limit := range api.Documents() {
		contract, err := contracttest.Load(document)
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(document, ".yaml")
		if shape, ok := strings.CutPrefix(name, "shape_"); ok {
			name = strings.ToUpper(shape)
		}
		contract.BodyLimit = int(limit)
		loaded[name] = contract
	}
	return loaded
}

// contractOf is the contract of an operation, such as A.findPrincipals, and the
// operationId there.
func contractOf(name string) (*contracttest.Contract, string) {
	contract, id, _ := strings.Cut(name, ".")
	return contracts[contract], id
}

// operationNames are the operations of both shapes, in order.
func operationNames() []string {
	var names []string
	for _, shape := range []string{"A", "B"} {
		for _, id := range contracts[shape].Operations() {
			names = append(names, shape+"."+id)
		}
	}
	return names
}

func TestMain(m *testing.M) {
	if code, child := confine.Serve(os.Args, map[string]confine.Task{extract.TaskName: extract.Task, press.TaskName: press.Task}); child {
		os.Exit(code)
	}
	code := pgtest.Main(m)
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		for name, contract := range contracts {
			for _, pair := range contract.Missing() {
				if strings.HasPrefix(pair.Status, "2") || pair.Status == "default" {
					fmt.Fprintf(os.Stderr, "documented answer that no test has seen: %s.%s\n", name, pair)
					code = 1
				}
			}
		}
		if !answersAreComplete() {
			code = 1
		}
	}
	os.Exit(code)
}
