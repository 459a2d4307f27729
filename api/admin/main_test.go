package admin_test

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }
