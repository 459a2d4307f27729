package console_test

import (
	"flag"
	"os"
	"testing"

	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// screenshots is where tests that visit many screens write pictures of them.
var screenshots = flag.String("screenshots", "", "write pictures of the screens that tests visit into this `folder`")

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{pdfworker.TaskName: pdfworker.Task}); child {
		os.Exit(code)
	}
	code := pgtest.Main(m)
	browsertest.Close()
	os.Exit(code)
}
