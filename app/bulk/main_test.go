package bulk_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
