package jsondoc

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// checks are the keywords of a subschema that a run applies itself: keywords that the library applies at a cost that
// is not proportional to the value, and keywords of the rules.
type checks struct {
	run       *run
	rules     *rules
	format    func(m *meter, text string) bool
	constant  *choices
	enum      *choices
	unique    bool
	minLength int
	maxLength int
	pattern   *regexp.Regexp
	// perByte is the cost of the pattern for each byte of a text, in instructions.
	perByte   int
	decode    func(string) ([]byte, error)
	mediaType func([]byte) error
	// parses is the number of times that the library parses a number, and hasMultipleOf is set for multipleOf.
	parses        int
	hasMultipleOf bool
}

// checksOf returns the checks of a subschema, nil if it has none.
func (r *run) checksOf(s *jsonschema.Schema) *checks {
	c := checks{
		run: r, rules: rulesOf(s), format: formatOf(s.Format), unique: s.UniqueItems, minLength: s.MinLength, maxLength: s.MaxLength,
		pattern: s.Pattern, perByte: r.schema.patterns[s.Pattern], hasMultipleOf: s.MultipleOf != nil,
	}
	if len(s.Constant) > 0 {
		c.constant = newChoices(s.Constant)
	}
	if len(s.Enum) > 0 {
		c.enum = newChoices(s.Enum)
	}
	if s.Draft == jsonschema.Draft7 {
		c.decode, c.mediaType = jsonschema.Decoders[s.ContentEncoding], jsonschema.MediaTypes[s.ContentMediaType]
	}
	for _, name := range s.Types {
		if name == "integer" {
			c.parses++
		}
	}
	if s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || c.hasMultipleOf {
		c.parses++
	}
	texts := c.format != nil || c.minLength >= 0 || c.maxLength >= 0 || c.pattern != nil || c.decode != nil || c.mediaType != nil
	if !texts && c.rules == nil && c.constant == nil && c.enum == nil && !c.unique && c.parses == 0 {
		return nil
	}
	return &c
}

// Validate implements jsonschema.ExtSchema.
func (c *checks) Validate(ctx jsonschema.ValidationContext, value any) error {
	var failed []error
	fail := func(keyword string) { failed = append(failed, ctx.Error(keyword, "%s failed", keyword)) }
	m := &c.run.meter
	if c.constant != nil && !c.constant.has(m, value) {
		fail("const")
	}
	if c.enum != nil && !c.enum.has(m, value) {
		fail(keywordEnum)
	}
	switch v := value.(type) {
	case string:
		c.checkText(v, fail)
	case json.Number:
		c.chargeNumber(v.String())
	case []any:
		if c.unique && !m.areUnique(v) {
			fail("uniqueItems")
		}
	}
	if c.rules != nil {
		c.rules.applyTo(&c.run.options, ctx, value, fail)
	}
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return failed[0]
	}
	return jsonschema.ValidationError{}.Group(ctx.Error("", ""), failed...)
}

// checkText applies the keywords for strings. A text that is too long is not matched with the pattern.
func (c *checks) checkText(checkText string, fail func(keyword string)) {
	m := &c.run.meter
	m.spend(len(checkText) / bytesPerUnit)
	tooLong := false
	if c.minLength >= 0 || c.maxLength >= 0 {
		length := utf8.RuneCountInString(checkText)
		if length < c.minLength {
			fail("minLength")
		}
		if tooLong = c.maxLength >= 0 && length > c.maxLength; tooLong {
			fail("maxLength")
		}
	}
	if c.pattern != nil && !tooLong {
		m.spend((len(checkText) + 1) * c.perByte / instructionsPerUnit)
		if !c.pattern.MatchString(checkText) {
			fail("pattern")
		}
	}
	if c.format != nil && !c.format(m, checkText) {
		fail(keywordFormat)
	}
	c.checkContent(checkText, fail)
}

// checkContent applies contentEncoding and contentMediaType of draft 7.
func (c *checks) checkContent(text string, fail func(keyword string)) {
	if c.decode == nil && c.mediaType == nil {
		return
	}
	c.run.meter.spend(len(text))
	content := []byte(text)
	if c.decode != nil {
		var err error
		if content, err = c.decode(text); err != nil {
			fail("contentEncoding")
			return
		}
	}
	if c.mediaType != nil && c.mediaType(content) != nil {
		fail("contentMediaType")
	}
}

// chargeNumber charges the arithmetic of the library with a number: the time of a division grows with the square of the
// digits.
func (c *checks) chargeNumber(text string) {
	digits := len(text)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, _ := strconv.ParseFloat(text[i+1:], 64)
		digits += int(math.Abs(exponent))
	}
	units := c.parses * (unitsPerNumber + digits/2)
	if c.hasMultipleOf {
		units += digits * digits / 256
	}
	c.run.meter.spend(units)
}
