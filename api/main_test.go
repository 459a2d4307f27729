package api_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/procession-dev/procession/api/apitest"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/persistence/pgtest"
)

// contract checks every exchange of every test and remembers what it saw.
var contract = mustLoad()

func mustLoad() *apitest.Contract {
	loaded, err := apitest.Load(openapi.ShapeB)
	if err != nil {
		panic(err)
	}
	return loaded
}

func TestMain(m *testing.M) {
	code := pgtest.Main(m)
	if code == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		for _, pair := range contract.Missing() {
			if strings.HasPrefix(pair.Status, "2") || pair.Status == "default" {
				fmt.Fprintln(os.Stderr, "documented answer that no test has seen:", pair)
				code = 1
			}
		}
	}
	os.Exit(code)
}
