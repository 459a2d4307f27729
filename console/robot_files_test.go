package console_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesOfRobotsAreUploaded(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	file := filepath.Join(t.TempDir(), "interpreter.tar.gz")
	require.NoError(t, os.WriteFile(file, []byte("an interpreter"), 0o600))
	alice := s.signIn("Alice")
	robot := "people/demo/Robot/KYC_BOT"
	alice.openPath(robot)
	alice.Set("select[name=type]", "NODEJS")
	alice.Type("input[name=version]:not([type=hidden])", "22.1")
	alice.Upload("input[type=file]", file)
	alice.Click("form[action$='/files'] button")
	alice.AwaitText("NODEJS 22.1 LINUX X86_64")
	require.Equal(t, int64(14), sql[int64](s, `SELECT d.size FROM robot_files f JOIN documents d ON d.id = f.document_id WHERE f.version = '22.1'`))
	alice.Upload("input[type=file]", file)
	alice.Set("select[name=type]", "NODEJS")
	alice.Click("form[action$='/files'] button")
	alice.Await(`document.querySelector(".alert-danger")`)
	alice.openPath(robot)
	alice.Click("input[name=version][value='22.1'] ~ button")
	alice.Await(`!document.body.innerText.includes("NODEJS 22.1")`)
	alice.RequireAccessible()
}
