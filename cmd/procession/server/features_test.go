package server

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/cmd/procession/config"
)

func TestPDFToText(t *testing.T) {
	t.Parallel()
	path, err := (&config.Features{PDFToText: "sh"}).FindPDFToText()
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(path))
	for setting, wrong := range map[string]string{"": "--pdftotext is empty", "/nowhere/pdftotext": "no such file", "no-such-program": "not found"} {
		c := config.Features{PDFToText: setting, AssistanceBuiltin: true}
		_, err = c.FindPDFToText()
		require.ErrorContains(t, err, wrong)
		var logged bytes.Buffer
		require.NotNil(t, newTextReader(c, slog.New(slog.NewTextHandler(&logged, nil))))
		require.Equal(t, 1, strings.Count(logged.String(), "PDFs are not read"))
		logged.Reset()
		c.AssistanceBuiltin = false
		newTextReader(c, slog.New(slog.NewTextHandler(&logged, nil)))
		require.Empty(t, logged.String(), "there is nothing to be read")
	}
}

// A form with characters that no font has is a line of the log, and each of them is counted.
func TestMissingCharactersAreLoggedAndCounted(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	m := newMetrics()
	report := reportMissing(m, slog.New(slog.NewTextHandler(&logged, nil)))
	count := func() float64 {
		families, err := m.registry.Gather()
		require.NoError(t, err)
		for _, family := range families {
			if family.GetName() == "procession_form_characters_missing_total" {
				return family.GetMetric()[0].GetCounter().GetValue()
			}
		}
		return -1
	}
	require.Zero(t, count())
	report([]rune{0xe000, 0x10fffd})
	report([]rune{0x1e900})
	require.InDelta(t, 3, count(), 0)
	require.Equal(t, 2, strings.Count(logged.String(), "characters of a form are not available in the installed fonts"))
	require.Contains(t, logged.String(), "count=2 first=U+E000")
	require.Contains(t, logged.String(), "count=1 first=U+1E900")
	require.NotContains(t, logged.String(), "\ue000", "the log contains no values of forms")
}

func TestAssistanceProvider(t *testing.T) {
	t.Parallel()
	var c config.Features
	provider, err := newAssistanceProvider(c)
	require.NoError(t, err)
	require.Nil(t, provider)
	require.Nil(t, newFormRenderer(c, slog.Default(), nil))

	c.AssistanceBuiltin = true
	provider, err = newAssistanceProvider(c)
	require.NoError(t, err)
	require.Equal(t, assistance.Builtin{}, provider)

	key := filepath.Join(t.TempDir(), "key")
	c = config.Features{
		AssistanceURL: "http://127.0.0.1:1/v1", AssistanceModel: "m", AssistanceEmbeddingModel: "e",
		AssistanceKeyFile: key, AssistanceBuiltin: true,
	}
	_, err = newAssistanceProvider(c)
	require.ErrorContains(t, err, key)
	require.NoError(t, os.WriteFile(key, []byte(" \n"), 0o600))
	_, err = newAssistanceProvider(c)
	require.ErrorContains(t, err, "is empty")
	require.NoError(t, os.WriteFile(key, []byte("hunter2\n"), 0o600))
	provider, err = newAssistanceProvider(c)
	require.NoError(t, err)
	require.Equal(t, "m", provider.Model(""), "a URL goes before the built-in one")
}
