package config

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app"
)

// defaultAssistanceCall is how long one call of a model may take.
const defaultAssistanceCall = 2 * time.Minute

const defaultPDFToText = "pdftotext"

// Features configures the optional features.
type Features struct {
	AssistanceURL            string
	AssistanceKeyFile        string
	AssistanceModel          string
	AssistanceEmbeddingModel string
	AssistanceBuiltin        bool
	AssistanceCallTimeout    time.Duration
	AssistanceTimeout        time.Duration
	PDFToText                string
	FormsAsDocuments         bool
	Typst                    string
	FormFonts                textList
}

// bindFlags declares the flags of optional features.
func (c *Features) bindFlags(f *pflag.FlagSet) {
	f.StringVar(&c.AssistanceURL, "assistance-url", "",
		"model provider of AI assistance: the URL of an API compatible with OpenAI, such as http://127.0.0.1:11434/v1")
	f.StringVar(&c.AssistanceKeyFile, "assistance-key-file", "", "file of the key of the model provider; empty for none")
	f.StringVar(&c.AssistanceModel, "assistance-model", "", "default model for answers; a definition may name another")
	f.StringVar(&c.AssistanceEmbeddingModel, "assistance-embedding-model", "", "model for embeddings")
	f.BoolVar(&c.AssistanceBuiltin, "assistance-builtin", false,
		"without --assistance-url, answer with citations instead of a model: for trials")
	f.DurationVar(&c.AssistanceCallTimeout, "assistance-call-timeout", defaultAssistanceCall,
		"how long one call of a model may take")
	f.DurationVar(&c.AssistanceTimeout, "assistance-timeout", app.DefaultAssistanceTime,
		"how long a run of AI assistance may take in all")
	f.StringVar(&c.PDFToText, "pdftotext", defaultPDFToText,
		"program of poppler that reads PDFs for AI assistance: a path, or a name on PATH; empty to skip PDFs")
	f.BoolVar(&c.FormsAsDocuments, "forms-as-documents", false, "offer filled-in forms as PDF")
	f.StringVar(&c.Typst, "typst", "",
		"Python interpreter with the package typst, which typesets forms: a path, or a name on PATH; "+
			"empty for the one of make bootstrap, or python3")
	f.Var(&c.FormFonts, "form-fonts", "folders of fonts for forms; without any, those of the system")
}

// checkSettings validates the settings.
func (c *Features) checkSettings() error {
	var wrong faults
	wrong.require(c.AssistanceCallTimeout >= time.Second, "assistance-call-timeout", "must be 1s or more")
	wrong.require(c.AssistanceTimeout >= time.Second, "assistance-timeout", "must be 1s or more")
	if c.AssistanceURL == "" {
		return wrong.join()
	}
	u, err := url.Parse(c.AssistanceURL)
	wrong.require(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "",
		"assistance-url", "must be http:// or https://, a host and a path; a key goes into --assistance-key-file")
	wrong.require(c.AssistanceModel != "" && c.AssistanceEmbeddingModel != "",
		"assistance-url", "needs --assistance-model and --assistance-embedding-model")
	return wrong.join()
}

// HasAssistance reports whether AI assistance is configured.
func (c *Features) HasAssistance() bool { return c.AssistanceURL != "" || c.AssistanceBuiltin }

// FindPDFToText returns the path of the program that reads PDFs.
func (c *Features) FindPDFToText() (string, error) {
	if c.PDFToText == "" {
		return "", errors.New("--pdftotext is empty")
	}
	path, err := exec.LookPath(c.PDFToText)
	if err != nil {
		return "", fmt.Errorf("finding the program of --pdftotext: %w", err)
	}
	// Children work in another directory.
	return filepath.Abs(path)
}
