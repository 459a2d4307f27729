package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form"
)

// defaultAssistanceCall is how long one call of a model may take.
const defaultAssistanceCall = 2 * time.Minute

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

// assistanceProvider is what answers prompts, nil for nothing.
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

// formRenderer is what puts forms on paper, nil where that is not offered.
func (c *Config) formRenderer() (*form.Renderer, error) {
	if !c.FormsAsDocuments {
		return nil, nil
	}
	r, err := form.NewRenderer(form.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("preparing forms as documents: %w", err)
	}
	return r, nil
}
