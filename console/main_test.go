package console_test

import (
	"flag"
	"os"
	"testing"

	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// screenshots is where tests that visit many screens write pictures of them.
var screenshots = flag.String("screenshots", "", "write pictures of the screens that tests visit into this `folder`")

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	browsertest.Close()
	os.Exit(code)
}
