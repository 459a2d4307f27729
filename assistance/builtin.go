package assistance

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/jsontext"
)

// BuiltinModel is the model name of the built-in provider.
const BuiltinModel = "procession-builtin"

const (
	// builtinDimensions is the length of the built-in vectors.
	builtinDimensions = 384
	// maxCited is the maximum number of passages that an answer cites, maxQuote the maximum length of a quote in
	// bytes.
	maxCited = 3
	maxQuote = 280
)

// Builtin is a provider for local use and tests. It is not a model: it compares words and deterministically cites the
// sentences nearest to the prompt.
type Builtin struct{}

var _ Provider = Builtin{}

// Model is BuiltinModel, whatever is configured.
func (Builtin) Model(string) string { return BuiltinModel }

// EmbeddingModel returns BuiltinModel.
func (Builtin) EmbeddingModel() string { return BuiltinModel }

// Embed computes vectors from the words of the texts.
func (Builtin) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := checkBatch(texts); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = wordVector(text)
	}
	return vectors, nil
}

// Complete cites the excerpts. With a schema, the answer is the first value that the schema offers, with the citation
// for texts.
func (Builtin) Complete(ctx context.Context, r Request) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	cited := citeExcerpts(r.Prompt, r.Excerpts)
	answer := Answer{Model: BuiltinModel, FinishReason: "stop", Text: citationText(cited)}
	if r.Schema == nil {
		return answer, nil
	}
	value, err := json.Marshal(fillSchema(jsontext.NewLooseReader(r.Schema).Value(), answer.Text))
	if err != nil {
		return Answer{}, &Error{Code: CodeInvalidAnswer, Message: "the built-in provider cannot fill this schema", Cause: err}
	}
	if answer.Value, err = parseObject(string(value), r.Schema); err != nil {
		return Answer{}, err
	}
	answer.Text = string(answer.Value)
	return answer, nil
}

// fillSchema returns a value for a schema. The caller validates it.
func fillSchema(schema any, text string) any {
	keywords, _ := schema.(map[string]any)
	for _, keyword := range []string{"const", "default"} {
		if fixed, ok := keywords[keyword]; ok {
			return fixed
		}
	}
	if options, ok := keywords["enum"].([]any); ok && len(options) > 0 {
		return options[0]
	}
	properties, isObject := keywords["properties"].(map[string]any)
	kind, _ := keywords["type"].(string)
	switch {
	case isObject || kind == "object":
		members := map[string]any{}
		for name, property := range properties {
			members[name] = fillSchema(property, text)
		}
		return members
	case kind == "array":
		return []any{}
	case kind == "number" || kind == "integer":
		if least, ok := keywords["minimum"]; ok {
			return least
		}
		return 0
	case kind == "boolean":
		return false
	case kind == "null":
		return nil
	}
	if most, ok := keywords["maxLength"].(json.Number); ok {
		if n, err := strconv.ParseUint(most.String(), 10, 31); err == nil {
			runes := []rune(text)
			return string(runes[:min(len(runes), int(n))])
		}
	}
	return text
}

// A quote is a sentence of an excerpt.
type quote struct {
	number   int
	document string
	text     string
}

// citeExcerpts returns the sentences nearest to a prompt, at most one for each excerpt, the nearest first.
func citeExcerpts(prompt string, excerpts []Excerpt) []quote {
	type scored struct {
		quote
		score float64
	}
	query := wordVector(prompt)
	var found []scored
	for i, excerpt := range excerpts {
		best := scored{score: math.Inf(-1)}
		for _, sentence := range Passages(excerpt.Text, Splitting{Size: maxQuote}) {
			matches, err := Closest(query, [][]float32{wordVector(sentence)}, 1)
			if err == nil && matches[0].Score > best.score {
				best = scored{quote{number: i + 1, document: oneLine(excerpt.Document), text: oneLine(sentence)}, matches[0].Score}
			}
		}
		if best.text != "" {
			found = append(found, best)
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var quotes []quote
	for _, s := range found[:min(len(found), maxCited)] {
		quotes = append(quotes, s.quote)
	}
	return quotes
}

// citationText returns an answer in words.
func citationText(quotes []quote) string {
	if len(quotes) == 0 {
		return "The documents hold nothing to go by. (Built-in answer, not by a model.)"
	}
	var text strings.Builder
	text.WriteString("The documents say:")
	for _, q := range quotes {
		fmt.Fprintf(&text, "\n- %s: “%s” [%d]", q.document, q.text, q.number)
	}
	text.WriteString("\n(Built-in answer, not by a model.)")
	return text.String()
}

// wordVector adds a direction for each word of a text and, at half the weight, for its prefix, so that inflections of
// a word are near each other.
func wordVector(text string) []float32 {
	vector := make([]float32, builtinDimensions)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		addWord(vector, word, 1)
		if runes := []rune(word); len(runes) > 5 {
			addWord(vector, string(runes[:5])+"…", 0.5)
		}
	}
	if length := math.Sqrt(float64(dotProduct(vector, vector))); length > 0 {
		for i := range vector {
			vector[i] = float32(float64(vector[i]) / length)
		}
	}
	return vector
}

func addWord(vector []float32, word string, weight float32) {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(word)) // It never fails.
	sum := hash.Sum64()
	if sum>>63 == 1 {
		weight = -weight
	}
	vector[sum%uint64(len(vector))] += weight
}
