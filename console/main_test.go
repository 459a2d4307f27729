package console_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/internal/testkit/browsertest"
	"github.com/procession-dev/procession/internal/testkit/pgtest"
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	browsertest.Close()
	os.Exit(code)
}
