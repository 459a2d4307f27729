package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
)

// defaultAssistanceCall is how long one call of a model may take.
const defaultAssistanceCall = 2 * time.Minute

// defaultPDFToText is found on PATH.
const defaultPDFToText = "pdftotext"

// bindFeatures declares the flags of what is off unless the operator turns it on.
func (c *Config) bindFeatures(f *pflag.FlagSet) {
	f.StringVar(&c.AssistanceURL, "assistance-url", "",
		"model provider of AI assistance: the address of an API as OpenAI has it, such as http://127.0.0.1:11434/v1")
	f.StringVar(&c.AssistanceKeyFile, "assistance-key-file", "", "file of the key of the model provider; empty for none")
	f.StringVar(&c.AssistanceModel, "assistance-model", "", "model that answers, unless a definition names another")
	f.StringVar(&c.AssistanceEmbeddingModel, "assistance-embedding-model", "", "model that embeds")
	f.BoolVar(&c.AssistanceBuiltin, "assistance-builtin", false,
		"without --assistance-url, answer with citations and no model: for trials")
	f.DurationVar(&c.AssistanceCallTimeout, "assistance-call-timeout", defaultAssistanceCall,
		"how long one call of a model may take")
	f.DurationVar(&c.AssistanceTimeout, "assistance-timeout", app.DefaultAssistanceTime,
		"how long a run of AI assistance may take in all")
	f.StringVar(&c.PDFToText, "pdftotext", defaultPDFToText,
		"program of poppler that reads PDFs for AI assistance: a path, or a name on PATH; empty reads none")
	f.BoolVar(&c.FormsAsDocuments, "forms-as-documents", false, "offer filled-in forms as PDF")
}

// checkFeatures reports what is wrong with the settings of features.
func (c *Config) checkFeatures() error {
	var wrong []error
	if c.AssistanceCallTimeout < time.Second || c.AssistanceTimeout < time.Second {
		wrong = append(wrong, errors.New("--assistance-call-timeout and --assistance-timeout must be 1s or more"))
	}
	if c.AssistanceURL == "" {
		return errors.Join(wrong...)
	}
	if u, err := url.Parse(c.AssistanceURL); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		wrong = append(wrong, errors.New("--assistance-url must be http:// or https://, a host and a path; "+
			"a key goes into --assistance-key-file"))
	}
	if c.AssistanceModel == "" || c.AssistanceEmbeddingModel == "" {
		wrong = append(wrong, errors.New("--assistance-url needs --assistance-model and --assistance-embedding-model"))
	}
	return errors.Join(wrong...)
}

// assistanceProvider returns what answers prompts, nil for nothing.
func (c *Config) assistanceProvider() (assistance.Provider, error) {
	if c.AssistanceURL == "" {
		if c.AssistanceBuiltin {
			return assistance.Builtin{}, nil
		}
		return nil, nil
	}
	var key domain.Secret
	if c.AssistanceKeyFile != "" {
		content, err := os.ReadFile(c.AssistanceKeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading the key of the model provider: %w", err)
		}
		if key = domain.NewSecret(strings.TrimSpace(string(content))); key.Reveal() == "" {
			return nil, fmt.Errorf("reading the key of the model provider: %s is empty", c.AssistanceKeyFile)
		}
	}
	client, err := assistance.NewClient(assistance.Config{
		BaseURL: c.AssistanceURL, Key: key, ChatModel: c.AssistanceModel, Embeddings: c.AssistanceEmbeddingModel,
		ChatTimeout: c.AssistanceCallTimeout, EmbeddingTimeout: c.AssistanceCallTimeout, Clock: time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the model provider: %w", err)
	}
	return client, nil
}

// assisted reports whether there is AI assistance.
func (c *Config) assisted() bool { return c.AssistanceURL != "" || c.AssistanceBuiltin }

// pdfToText returns the path of the program that reads PDFs, or the reason why there is none.
func (c *Config) pdfToText() (string, error) {
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

// textReader reads documents for AI assistance.
func (c *Config) textReader(log *slog.Logger) *extract.Reader {
	path, err := c.pdfToText()
	if err != nil && c.assisted() {
		log.Warn("PDFs are not read", slog.Any("error", err))
	}
	return extract.NewReader(extract.Options{PDFToText: path})
}

// formPress returns the pool that renders forms as PDF, nil if the feature is disabled.
func (c *Config) formPress() *pdfworker.Pool {
	if !c.FormsAsDocuments {
		return nil
	}
	return pdfworker.New()
}

// warnOfChildren logs the limits of child processes that this system does not enforce.
func (c *Config) warnOfChildren(log *slog.Logger) {
	if weakness := sandbox.Weakness(); weakness != "" && (c.assisted() || c.FormsAsDocuments) {
		log.Warn("files are read without all limits", slog.String("reason", weakness))
	}
}
