package translation

import "encoding/json"

// Name is the name of a definition with its translations. As JSON it is the name alone if there are none.
type Name struct {
	// Source is the name in the definition, Default its language or "".
	Source, Default string
	// In are translations by their language.
	In map[string]string
}

// nameJSON is the JSON of a Name with translations.
type nameJSON struct {
	Source  string            `json:"source"`
	Default string            `json:"default"`
	In      map[string]string `json:"in,omitempty"`
}

// Name returns the name of the definition, or of a part of it with a code, with its translations. The catalogue may be nil.
func (c *Catalogue) Name(source, code string) Name { return c.translateText(source, code+SuffixName) }

// Description returns the description of the definition, or of a part of it with a code, with its translations. The catalogue
// may be nil.
func (c *Catalogue) Description(source, code string) Name {
	if source == "" {
		return Name{}
	}
	return c.translateText(source, code+SuffixDescription)
}

func (c *Catalogue) translateText(source, key string) Name {
	n := Name{Source: source}
	if c == nil {
		return n
	}
	n.Default, n.In = c.Default, map[string]string{}
	for tag, texts := range c.texts {
		if text := texts[key]; text != "" {
			n.In[tag] = text
		}
	}
	return n
}

// Or returns the name with the translations of another one that it lacks.
func (n Name) Or(outer Name) Name {
	if n.Default == "" {
		n.Default = outer.Default
	}
	for tag, text := range outer.In {
		if n.In == nil {
			n.In = map[string]string{}
		}
		if n.In[tag] == "" {
			n.In[tag] = text
		}
	}
	return n
}

// String returns the name in the definition.
func (n Name) String() string { return n.Source }

// For returns the name in the first of the reader's languages that has it, or the name in the definition.
func (n Name) For(r *Reader) Text {
	if r == nil || n.Default == "" {
		return Text{Text: n.Source}
	}
	return r.choose(n.Source, n.Default, func(tag string) string { return n.In[tag] })
}

// MarshalJSON implements json.Marshaler.
func (n Name) MarshalJSON() ([]byte, error) {
	if n.Default == "" {
		return json.Marshal(n.Source)
	}
	return json.Marshal(nameJSON(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Name) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, (*nameJSON)(n)); err != nil {
			return err
		}
		for tag, name := range n.In {
			if canonical, err := parseTag(tag); err == nil && canonical != tag {
				delete(n.In, tag)
				n.In[canonical] = name
			}
		}
		return nil
	}
	*n = Name{}
	return json.Unmarshal(text, &n.Source)
}
