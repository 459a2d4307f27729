package dispatch_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
