package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeaturesAreOffByDefault(t *testing.T) {
	t.Parallel()
	out := printed(t, "config", "print")
	require.Contains(t, out, "assistance-url: \"\"\n")
	require.Contains(t, out, "assistance-builtin: false\n")
	require.Contains(t, out, "forms-as-documents: false\n")
	require.Contains(t, out, "assistance-timeout: 10m0s\n")
	require.Contains(t, out, "pdftotext: pdftotext\n")
}

func TestTheLocalStackHasFeaturesOn(t *testing.T) {
	t.Parallel()
	flags := newDevCommand().Flags()
	for _, name := range []string{"assistance-builtin", "forms-as-documents"} {
		require.Equal(t, "true", flags.Lookup(name).Value.String(), name)
	}
}

func TestConfigPrintShowsNoModelKey(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("hunter2\n"), 0o600))
	out := printed(t, "config", "print", "--assistance-url", "http://127.0.0.1:1/v1", "--assistance-model", "m",
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
