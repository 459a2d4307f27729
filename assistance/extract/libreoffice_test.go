package extract_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

var officeRequired = flag.Bool("libreoffice", false, "fail instead of skipping without LibreOffice")

// TestLibreOffice reads the files that LibreOffice writes of a document.
func TestLibreOffice(t *testing.T) {
	t.Parallel()
	office, err := exec.LookPath("soffice")
	if err != nil {
		require.False(t, *officeRequired, "LibreOffice is not installed")
		t.Skip("LibreOffice is not installed")
	}
	folder := t.TempDir()
	for _, format := range []string{"docx", "odt"} {
		output, err := exec.CommandContext(t.Context(), office, "-env:UserInstallation=file://"+folder+"/profile", "--headless",
			"--convert-to", format, "--outdir", folder, "testdata/letter.fodt").CombinedOutput()
		require.NoError(t, err, string(output))
		data, err := os.ReadFile(filepath.Join(folder, "letter."+format))
		require.NoError(t, err)
		text, err := read(t, "letter."+format, "", string(data), extract.DefaultLimits())
		require.NoError(t, err)
		for _, part := range []string{"Kopfzeile Grüße", "Überschrift Привет", "Ein Absatz", "Fußnote", "Textfeld", "Zelle A", "Zelle B", "Fußzeile"} {
			require.Contains(t, text.Body, part, format)
		}
	}
}
