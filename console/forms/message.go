package forms

import (
	"context"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// ErrorMessage returns the message of an error of a value, in its language. n is the control of the value, nil if it has none.
func ErrorMessage(ctx context.Context, label string, n *form.Node, e domain.ValueError) translation.Text {
	if n == nil {
		n = &form.Node{Bounds: form.Bounds{MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1}}
	}
	if e.Message != "" {
		return translation.Text{Text: label + ": " + e.Message}
	}
	if own, ok := n.Message(e.Type); ok {
		return own
	}
	return translation.Text{Text: violationMessage(ctx, label, n, e)}
}

// violationMessage returns the console's own message.
func violationMessage(ctx context.Context, label string, n *form.Node, e domain.ValueError) string {
	b := n.Bounds
	say := func(text string, args ...any) string { return ui.T(ctx, text, append([]any{label}, args...)...) }
	switch e.Type {
	case "required", "requiredOnUpdate", "dependentRequired", "dependencies":
		if n.Because != "" {
			return say("%s is required because of %s.", n.Because)
		}
		return say("%s is required.")
	case "type":
		return ui.T(ctx, typeMessage(n.Types), label)
	case "format":
		return ui.T(ctx, formatMessage(b.Format), label)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return numberMessage(ctx, say, e.Type, b)
	case "minLength", "maxLength", "minItems", "maxItems":
		return countMessage(say, e.Type, b)
	case "enum", "const":
		if len(n.Options) == 1 {
			return say("%s must be “%s”.", n.Options[0].Title)
		}
		return say("%s must be one of the choices.")
	case "anyOf", "oneOf":
		if len(n.Sufficient) > 0 {
			return ui.T(ctx, "Fill in one of these: %s.", strings.Join(n.Sufficient, ", "))
		}
	case "accept":
		return say("%s must be one of these kinds of file: %s.", strings.Join(b.Accept, ", "))
	case "maxSize":
		return say("%s must be at most %s.", ui.Size(ctx, b.MaxSize))
	}
	return ui.T(ctx, keywordMessage(e.Type), label)
}

// keywordMessage returns the sentence for keywords that need no details.
func keywordMessage(keyword string) string {
	switch keyword {
	case "pattern":
		return "%s has the wrong format."
	case "uniqueItems":
		return "%s has the same entry twice."
	case "contains", "minContains":
		return "%s lacks a required entry."
	case "maxContains":
		return "%s has too many entries of one kind."
	case "minProperties":
		return "%s has too few entries."
	case "maxProperties":
		return "%s has too many entries."
	case "propertyNames":
		return "%s has an entry with a name that is not allowed."
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "false":
		return "%s is not expected here."
	case "anyOf", "if", "then", "else":
		return "%s matches none of the allowed forms."
	case "oneOf":
		return "%s must match exactly one of the allowed forms."
	case "not":
		return "%s has a value that is not allowed."
	case "contentEncoding", "contentMediaType", "contentSchema":
		return "%s has the wrong encoding."
	}
	return "%s is not valid."
}

func typeMessage(types jsondoc.Types) string {
	switch types { //nolint:exhaustive // sets of several types have no name
	case jsondoc.TypeNumber:
		return "%s must be a number."
	case jsondoc.TypeInteger:
		return "%s must be a whole number."
	case jsondoc.TypeBoolean:
		return "%s must be yes or no."
	case jsondoc.TypeString:
		return "%s must be a text."
	case jsondoc.TypeArray:
		return "%s must be a list."
	case jsondoc.TypeObject:
		return "%s must have fields."
	case jsondoc.TypeString | jsondoc.TypeInteger, jsondoc.TypeString | jsondoc.TypeNumber:
		return "%s must be a text or a number."
	}
	return "%s has the wrong type."
}

func formatMessage(format string) string {
	switch format {
	case "date":
		return "%s must be a date."
	case "time":
		return "%s must be a time of day."
	case "date-time":
		return "%s must be a date with a time."
	case "duration":
		return "%s must be a duration, such as P1DT2H."
	case "email", "idn-email":
		return "%s must be an e-mail address."
	case "uri", "uri-reference", "iri", "iri-reference", "uri-template":
		return "%s must be a web address."
	case "hostname", "idn-hostname":
		return "%s must be a host name."
	case "ipv4", "ipv6":
		return "%s must be an IP address."
	case "uuid":
		return "%s must be a UUID."
	case "regex", "json-pointer", "relative-json-pointer":
		return "%s has the wrong format."
	case string(kuflowref.KindFile):
		return "%s must be a file that is visible to you."
	case string(kuflowref.KindPrincipal):
		return "%s must be an existing person."
	case string(kuflowref.KindGroup):
		return "%s must be an existing group."
	case string(kuflowref.KindProcess):
		return "%s must be a process that is visible to you."
	case string(kuflowref.KindBusinessArtifact):
		return "%s must be an artifact that is visible to you."
	case string(kuflowref.KindDataSource):
		return "%s must be an entry of its data source."
	}
	return "%s has the wrong format."
}

func numberMessage(ctx context.Context, say func(string, ...any) string, keyword string, b form.Bounds) string {
	switch {
	case keyword == "minimum" && b.Minimum != "":
		return say("%s must be at least %s.", ui.Number(ctx, b.Minimum))
	case keyword == "maximum" && b.Maximum != "":
		return say("%s must be at most %s.", ui.Number(ctx, b.Maximum))
	case keyword == "multipleOf" && b.MultipleOf != "":
		return say("%s must be a multiple of %s.", ui.Number(ctx, b.MultipleOf))
	case strings.HasSuffix(keyword, "inimum") && b.Above != "":
		return say("%s must be more than %s.", ui.Number(ctx, b.Above))
	case strings.HasSuffix(keyword, "aximum") && b.Below != "":
		return say("%s must be less than %s.", ui.Number(ctx, b.Below))
	case strings.HasSuffix(keyword, "inimum"):
		return say("%s is too small.")
	case strings.HasSuffix(keyword, "aximum"):
		return say("%s is too large.")
	}
	return say("%s is not valid.")
}

func countMessage(say func(string, ...any) string, keyword string, b form.Bounds) string {
	switch {
	case keyword == "minLength" && b.MinLength > 1:
		return say("%s must have at least %d characters.", b.MinLength)
	case keyword == "minLength":
		return say("%s must not be empty.")
	case keyword == "maxLength" && b.MaxLength > 1:
		return say("%s must have at most %d characters.", b.MaxLength)
	case keyword == "maxLength":
		return say("%s is too long.")
	case keyword == "minItems" && b.MinItems > 1:
		return say("%s must have at least %d entries.", b.MinItems)
	case keyword == "minItems":
		return say("%s must not be empty.")
	case b.MaxItems > 1:
		return say("%s must have at most %d entries.", b.MaxItems)
	}
	return say("%s has too many entries.")
}
