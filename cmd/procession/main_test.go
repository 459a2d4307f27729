package main

import (
	"os"
	"testing"

	"github.com/procession-dev/procession/persistence/pgtest"
)

// asProgram makes the test binary behave as the program itself, so that tests
// can run it as a process of its own and kill it.
const asProgram = "PROCESSION_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	code := pgtest.Main(m)
	removeBuilt()
	os.Exit(code)
}
