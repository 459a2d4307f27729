package apitest

import (
	"os"
	"strings"
	"testing"

	"github.com/procession-dev/procession/api/admin"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/test/kit/contracttest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Contracts check every exchange of every test of a binary and record it, by their
// names in tables of operations: A, B, admin.
//
//nolint:gochecknoglobals // records of all tests of a binary
var Contracts = mustLoad()

func mustLoad() map[string]*contracttest.Contract {
	loaded := map[string]*contracttest.Contract{}
	for _, document := range []string{openapi.ShapeA, openapi.ShapeB, openapi.Admin} {
		contract, err := contracttest.Load(document)
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(document, ".yaml")
		if shape, ok := strings.CutPrefix(name, "shape_"); ok {
			name = strings.ToUpper(shape)
		}
		loaded[name] = contract
	}
	loaded["admin"].BodyLimit = admin.BodyLimit
	return loaded
}

// Main runs the tests of a binary and returns the exit code. The service starts
// its own program again for untrusted work, which here is the binary of the tests:
// then Main does the work and exits.
func Main(m *testing.M) int {
	tasks := map[string]sandbox.Task{extract.TaskName: extract.Task, pdfworker.TaskName: pdfworker.Task}
	if code, child := sandbox.Serve(os.Args, tasks); child {
		os.Exit(code)
	}
	return pgtest.Main(m)
}
