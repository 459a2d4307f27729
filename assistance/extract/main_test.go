package extract_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{extract.TaskName: extract.Task, pdfworker.TaskName: pdfworker.Task}); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
