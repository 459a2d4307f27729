package admin_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/internal/testkit/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }
