package notice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The presets of templates.
const (
	Slack      = "SLACK"
	Teams      = "TEAMS"
	Mattermost = "MATTERMOST"
)

// templateSize limits a template, in bytes.
const templateSize = 10_000

// presetTemplate returns the template of a preset, "" for none. Teams takes adaptive cards through a workflow's webhook.
func presetTemplate(preset string) string {
	switch preset {
	case Slack:
		return `{"text":"*{{title}}*\n{{text}}\n{{link}}"}`
	case Mattermost:
		return `{"text":"**{{title}}**\n{{text}}\n{{link}}"}`
	case Teams:
		return `{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","content":{` +
			`"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.4","body":[` +
			`{"type":"TextBlock","weight":"Bolder","wrap":true,"text":"{{title}}"},{"type":"TextBlock","wrap":true,"text":"{{text}}"},` +
			`{"type":"TextBlock","wrap":true,"text":"{{link}}"}]}}]}`
	default:
		return ""
	}
}

var placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// templateValues returns the values of the placeholders.
func (m Message) templateValues() map[string]string {
	return map[string]string{
		"title": m.Title, "text": m.Text, "link": m.Link, "tenant": m.Tenant, "problem": m.Problem, "count": strconv.Itoa(m.Count),
	}
}

// CheckTemplate reports a template of a chat message that is not JSON, has an unknown placeholder, or tells no problem.
func CheckTemplate(template json.RawMessage) error {
	if len(template) > templateSize {
		return fmt.Errorf("must have at most %d bytes", templateSize)
	}
	if !json.Valid(template) {
		return errors.New("must be JSON")
	}
	known, tells := Message{}.templateValues(), false
	for _, found := range placeholder.FindAllSubmatch(template, -1) {
		name := strings.TrimSpace(string(found[1]))
		if _, ok := known[name]; !ok {
			return fmt.Errorf("has the unknown placeholder {{%s}}; there are title, text, link, tenant, problem and count", name)
		}
		tells = tells || name == "title" || name == "text"
	}
	if !tells {
		return errors.New("must contain {{title}} or {{text}}")
	}
	return nil
}

// RenderChat returns the JSON of a chat message by a template, or by the template of the preset. The placeholders in its strings are
// replaced; the values are escaped for the markup of the preset, so that no text of a problem mentions people.
func RenderChat(preset string, template json.RawMessage, m Message) ([]byte, error) {
	if len(template) == 0 {
		template = json.RawMessage(presetTemplate(preset))
	}
	values := m.templateValues()
	for name, value := range values {
		if name != "link" {
			values[name] = escapeMarkup(preset, value)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(template))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("reading the template of a chat message: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fillTemplate(tree, values)); err != nil {
		return nil, fmt.Errorf("writing a chat message: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// fillTemplate replaces the placeholders in the strings of a JSON value.
func fillTemplate(value any, values map[string]string) any {
	switch v := value.(type) {
	case string:
		return placeholder.ReplaceAllStringFunc(v, func(found string) string {
			return values[strings.TrimSpace(found[2:len(found)-2])]
		})
	case []any:
		for i := range v {
			v[i] = fillTemplate(v[i], values)
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = fillTemplate(v[name], values)
		}
		return v
	default:
		return value
	}
}

// escapeMarkup returns a text that the program of a preset shows as it is.
func escapeMarkup(preset, text string) string {
	switch preset {
	case Slack:
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	case Mattermost, Teams:
		// A zero-width space separates the sign from the name of a person or channel.
		return strings.NewReplacer("@", "@\u200b", "<", "\uff1c", "[", "\\[").Replace(text)
	default:
		return text
	}
}
