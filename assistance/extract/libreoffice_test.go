package extract_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

var withOffice = flag.Bool("libreoffice", false, "test with files that LibreOffice writes")

// TestLibreOffice reads the files that LibreOffice writes of documents, spreadsheets and presentations.
func TestLibreOffice(t *testing.T) {
	t.Parallel()
	if !*withOffice {
		t.Skip("make compat runs it")
	}
	office, err := exec.LookPath("soffice")
	require.NoError(t, err, "LibreOffice is not installed")
	folder := t.TempDir()
	for _, c := range []struct {
		source  string
		formats []string
		parts   []string
	}{
		{"letter.fodt", []string{"docx", "odt"}, []string{
			"Kopfzeile Grüße", "Überschrift Привет", "Ein Absatz", "Fußnote", "Textfeld", "Zelle A", "Zelle B", "Fußzeile",
		}},
		{"sheet.fods", []string{"xlsx", "ods"}, []string{"Betrag Привет", "1250.5", "Zelle A2", "Zelle B2", "Anderes Blatt"}},
		{"slides.fodp", []string{"pptx", "odp"}, []string{"Überschrift Привет", "Ein Punkt", "Zweite Folie"}},
	} {
		for _, format := range c.formats {
			output, err := exec.CommandContext(t.Context(), office, "-env:UserInstallation=file://"+folder+"/profile", "--headless",
				"--convert-to", format, "--outdir", folder, "testdata/"+c.source).CombinedOutput()
			require.NoError(t, err, string(output))
			name := strings.TrimSuffix(c.source, filepath.Ext(c.source)) + "." + format
			data, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			text, err := read(t, name, "", string(data), extract.DefaultLimits())
			require.NoError(t, err)
			for _, part := range c.parts {
				require.Contains(t, text.Body, part, format)
			}
		}
	}
}
