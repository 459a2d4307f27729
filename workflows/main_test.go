package workflows_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{extract.TaskName: extract.Task}); child {
		os.Exit(code)
	}
	os.Exit(pgtest.Main(m))
}
