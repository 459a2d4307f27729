package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance"
)

func TestFeaturesAreOffByDefault(t *testing.T) {
	t.Parallel()
	out := printed(t, "config", "print")
	require.Contains(t, out, "assistance-url: \"\"\n")
	require.Contains(t, out, "assistance-builtin: false\n")
	require.Contains(t, out, "forms-as-documents: false\n")
	require.Contains(t, out, "assistance-timeout: 10m0s\n")
	var c Config
	provider, err := c.assistanceProvider()
	require.NoError(t, err)
	require.Nil(t, provider)
	require.Nil(t, c.formPress())
}

func TestPDFToText(t *testing.T) {
	t.Parallel()
	out := printed(t, "config", "print")
	require.Contains(t, out, "pdftotext: pdftotext\n")
	path, err := (&Features{PDFToText: "sh"}).pdfToText()
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(path))
	for setting, wrong := range map[string]string{"": "--pdftotext is empty", "/nowhere/pdftotext": "no such file", "no-such-program": "not found"} {
		c := Features{PDFToText: setting, AssistanceBuiltin: true}
		_, err = c.pdfToText()
		require.ErrorContains(t, err, wrong)
		var logged bytes.Buffer
		require.NotNil(t, c.textReader(slog.New(slog.NewTextHandler(&logged, nil))))
		require.Equal(t, 1, strings.Count(logged.String(), "PDFs are not read"))
		logged.Reset()
		c.AssistanceBuiltin = false
		c.textReader(slog.New(slog.NewTextHandler(&logged, nil)))
		require.Empty(t, logged.String(), "there is nothing to be read")
	}
}

func TestTheLocalStackHasFeaturesOn(t *testing.T) {
	t.Parallel()
	flags := newDevCommand().Flags()
	for _, name := range []string{"assistance-builtin", "forms-as-documents"} {
		require.Equal(t, "true", flags.Lookup(name).Value.String(), name)
	}
}

func TestAssistanceProvider(t *testing.T) {
	t.Parallel()
	c := Features{AssistanceBuiltin: true}
	provider, err := c.assistanceProvider()
	require.NoError(t, err)
	require.Equal(t, assistance.Builtin{}, provider)

	key := filepath.Join(t.TempDir(), "key")
	c = Features{
		AssistanceURL: "http://127.0.0.1:1/v1", AssistanceModel: "m", AssistanceEmbeddingModel: "e",
		AssistanceKeyFile: key, AssistanceBuiltin: true,
	}
	_, err = c.assistanceProvider()
	require.ErrorContains(t, err, key)
	require.NoError(t, os.WriteFile(key, []byte(" \n"), 0o600))
	_, err = c.assistanceProvider()
	require.ErrorContains(t, err, "is empty")
	require.NoError(t, os.WriteFile(key, []byte("hunter2\n"), 0o600))
	provider, err = c.assistanceProvider()
	require.NoError(t, err)
	require.Equal(t, "m", provider.Model(""), "a URL goes before the built-in one")

	out := printed(t, "config", "print", "--assistance-url", c.AssistanceURL, "--assistance-model", "m",
		"--assistance-embedding-model", "e", "--assistance-key-file", key)
	require.NotContains(t, out, "hunter2")
	require.Contains(t, out, key)
}

func TestWrongFeatureSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for complaint, args := range map[string][]string{
		"assistance-key-file": {"--assistance-url", "https://user:hunter2@models.example/v1"},
		"assistance-model":    {"--assistance-url", "https://models.example/v1"},
		"must be 1s or more":  {"--assistance-timeout", "0s"},
	} {
		err := run(context.Background(), append([]string{"config", "print"}, args...), io.Discard, io.Discard)
		require.ErrorContains(t, err, complaint)
		require.NotContains(t, err.Error(), "hunter2")
	}
}
