package forms

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

const (
	// maxPost bounds the body of a post without files, in bytes.
	maxPost = 4 << 20
	// maxInputs bounds the inputs of a form.
	maxInputs = 30_000
	// maxAttempts bounds the earlier posts of a page that a post repeats.
	maxAttempts = 3
)

// post is the content that a form has sent.
type post struct {
	values url.Values
	// do is the action of the pressed button, on its target.
	do, on string
}

// readPost reads the body of a request. receive is called for each file, with the name
// of its control, and returns the reference to it.
func readPost(r *http.Request, receive func(name string, file File) (string, error)) (*post, error) {
	mediaType, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	p := &post{values: url.Values{}}
	if mediaType == "multipart/form-data" {
		if err := p.readParts(multipart.NewReader(r.Body, parameters["boundary"]), receive); err != nil {
			return nil, err
		}
	} else {
		text, err := io.ReadAll(io.LimitReader(r.Body, maxPost+1))
		if err != nil {
			return nil, formError()
		}
		if len(text) > maxPost || strings.Count(string(text), "&") > maxInputs {
			return nil, sizeError()
		}
		if p.values, err = url.ParseQuery(string(text)); err != nil {
			return nil, formError()
		}
	}
	p.do, p.on, _ = strings.Cut(p.values.Get(inputDo), ":")
	return p, nil
}

func formError() error {
	return domain.Invalid(domain.LocationBody, "", "the form cannot be read")
}

func sizeError() error {
	return &domain.Error{Kind: domain.KindTooLarge, Code: domain.CodeValidation, Message: "the form is too large"}
}

func (p *post) readParts(parts *multipart.Reader, receive func(string, File) (string, error)) error {
	left := int64(maxPost)
	for count := 0; ; count++ {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return formError()
		case count > maxInputs:
			return sizeError()
		}
		name := part.FormName()
		if control, ok := strings.CutPrefix(name, prefixFile+"/"); ok {
			if part.FileName() == "" {
				continue
			}
			reference, err := receive("/"+control, File{
				Name: part.FileName(), ContentType: part.Header.Get("Content-Type"), Size: -1, Content: part,
			})
			if err != nil {
				return err
			}
			p.values.Add(prefixText+"/"+control, reference)
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return formError()
		}
		if left -= int64(len(text)); left < 0 {
			return sizeError()
		}
		p.values.Add(name, string(text))
	}
}

// jsonInput returns the value of an input that is JSON, nil where none was sent.
func (p *post) jsonInput(name string) json.RawMessage {
	text := p.values.Get(name)
	r := jsontext.NewReader([]byte(text))
	r.Skip()
	if text == "" || r.End() != nil {
		return nil
	}
	return json.RawMessage(text)
}

// parseInputs returns the input. rows returns the keys of the rows of an array in the page.
func (p *post) parseInputs(in form.Locale, rows func(array string) []string) form.Submission {
	t := form.Submission{
		Locale: form.Locale{Numbers: in.Numbers, Zone: time.UTC},
		Texts:  map[string][]string{}, Orders: map[string][]string{}, References: map[string]string{},
		Confirmed: map[string]bool{}, Defaults: map[string]bool{}, Members: map[string]string{}, Qualifiers: map[string]string{},
	}
	for _, name := range p.values[inputConfirmed] {
		t.Confirmed[strings.TrimPrefix(name, prefixText)] = true
	}
	if zone, err := time.LoadLocation(p.values.Get(inputZone)); err == nil && zone != time.Local {
		t.Zone = zone
	}
	for name, texts := range p.values {
		switch {
		case strings.HasPrefix(name, prefixText+"/") || name == prefixText:
			t.Texts[name[1:]] = texts
		case strings.HasPrefix(name, prefixMember+"/") && len(texts) > 0:
			t.Members[name[1:]] = texts[len(texts)-1]
		case strings.HasPrefix(name, prefixQualifier+"/"):
			t.Qualifiers[name[1:]] = texts[0]
		case strings.HasPrefix(name, prefixOrder+"/") || name == prefixOrder:
			t.Orders[name[1:]] = slices.DeleteFunc(slices.Clone(texts), func(key string) bool { return key == "" })
		}
	}
	p.moveRows(t.Orders, rows)
	if name, reference, ok := strings.Cut(p.on, " "); ok && p.do == doDrop {
		t.Texts[name] = slices.DeleteFunc(slices.Clone(t.Texts[name]), func(text string) bool { return text == reference })
	}
	return t
}

// moveRows moves or removes a row if its button was pressed.
func (p *post) moveRows(orders map[string][]string, rows func(array string) []string) {
	cut := strings.LastIndexByte(p.on, '/')
	if cut < 0 || p.do != doRemove && p.do != doUp && p.do != doDown {
		return
	}
	array, key := p.on[:cut], p.on[cut+1:]
	order, ok := orders[array]
	if !ok {
		order = rows(array)
	}
	i := slices.Index(order, key)
	switch {
	case i < 0:
	case p.do == doRemove:
		orders[array] = slices.Delete(order, i, i+1)
	case p.do == doUp && i > 0:
		order[i-1], order[i] = order[i], order[i-1]
		orders[array] = order
	case p.do == doDown && i+1 < len(order):
		order[i+1], order[i] = order[i], order[i+1]
		orders[array] = order
	}
}

// shownConflicts returns the other person's values of the conflicts in the page, by pointer.
func (p *post) shownConflicts() map[string]string {
	shown := map[string]string{}
	theirs := p.values[inputTheirs]
	for i, pointer := range p.values[inputConflict] {
		if i < len(theirs) {
			shown[pointer] = theirs[i]
		}
	}
	return shown
}

// readPicked returns the alternatives that are selected in the page.
func readPicked(values url.Values) jsondoc.Picked {
	picked := jsondoc.Picked{}
	for name, texts := range values {
		at, ok := strings.CutPrefix(name, prefixBranch)
		if branch, err := strconv.Atoi(texts[0]); ok && err == nil && (at == "" || at[0] == '/' || at[0] == '~') {
			picked[form.ChoiceKey(at)] = branch
		}
	}
	return picked
}
