package server

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
)

// newAssistanceProvider returns the model provider, nil without AI assistance.
func newAssistanceProvider(c config.Features) (assistance.Provider, error) {
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

// newTextReader returns the reader of documents for AI assistance.
func newTextReader(c config.Features, log *slog.Logger) *extract.Reader {
	path, err := c.FindPDFToText()
	if err != nil && c.HasAssistance() {
		log.Warn("PDFs are not read for AI assistance", slog.Any("error", err))
	}
	return extract.NewReader(extract.Options{PDFToText: path})
}

// newFormRenderer returns the PDF renderer of forms, nil unless --forms-as-documents is set and a typesetter is
// installed. onMissing is called with the characters of a form that no font has.
func newFormRenderer(c config.Features, log *slog.Logger, onMissing func([]rune)) *pdfworker.Pool {
	if !c.FormsAsDocuments {
		return nil
	}
	t, err := pdfworker.FindTypesetter(context.Background(), c.Typst, c.FormFonts)
	if err != nil {
		log.Warn("forms as PDF are not available", slog.Any("error", err),
			slog.String("typesetter", pdfworker.InstallCommand), slog.String("fonts", pdfworker.InstallFonts))
		return nil
	}
	return pdfworker.New(t, onMissing)
}

// reportMissing returns a function that logs and counts the characters of a form that no font has.
func reportMissing(m *metrics, log *slog.Logger) func([]rune) {
	var missing atomic.Int64
	m.registerCounter("procession_form_characters_missing_total", "Characters of forms as PDF that no installed font has.",
		func() float64 { return float64(missing.Load()) })
	return func(characters []rune) {
		missing.Add(int64(len(characters)))
		log.Warn("characters of a form are not available in the installed fonts", slog.Int("count", len(characters)),
			slog.String("first", fmt.Sprintf("U+%04X", characters[0])))
	}
}

// warnOfChildren logs the limits of child processes that this operating system does not enforce.
func warnOfChildren(c config.Features, log *slog.Logger) {
	if weakness := sandbox.Weakness(); weakness != "" && (c.HasAssistance() || c.FormsAsDocuments) {
		log.Warn("limits of child processes are not enforced", slog.String("reason", weakness))
	}
}
