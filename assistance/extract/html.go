package extract

import (
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// maxTag is the maximum size of a tag or text of HTML in bytes.
const maxTag = 4 << 20

// readHTML writes the text that a browser would show. It reads tags one by one, so
// that nesting cannot exhaust the stack.
func (r *reader) readHTML(data []byte, declared string) error {
	text, err := decodeText(data, htmlCharset(data, declared))
	if err != nil {
		return err
	}
	tokens := html.NewTokenizer(r.checkedSource(text))
	tokens.SetMaxBuf(maxTag)
	hidden := ""
	pre, space := 0, true
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return endError(tokens.Err())
		case html.TextToken:
			if hidden != "" {
				continue
			}
			body := string(tokens.Text())
			if pre == 0 {
				body = collapseSpace(html.UnescapeString(body), space)
			} else {
				body = html.UnescapeString(body)
			}
			if body != "" {
				space = strings.HasSuffix(body, " ") || strings.HasSuffix(body, "\n")
			}
			if err := r.out.write(body); err != nil {
				return err
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			tag := string(name)
			if hidden == "" && isHidden(tag) {
				hidden = tag
			}
			if tag == "pre" {
				pre++
			}
			space, err = r.breakFor(tag, space)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			tag := string(name)
			if tag == hidden {
				hidden = ""
			}
			if tag == "pre" && pre > 0 {
				pre--
			}
			space, err = r.breakFor(tag, space)
		case html.CommentToken, html.DoctypeToken:
		}
		if err != nil {
			return err
		}
	}
}

// endError returns the error of a tokenizer that has no more tokens.
func endError(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, html.ErrBufferExceeded):
		return errTooLarge
	}
	return err
}

// isHidden reports whether the content of an element is not text.
func isHidden(tag string) bool {
	switch tag {
	case "script", "style", "noscript", "template", "svg", "math", "iframe", "object":
		return true
	}
	return false
}

// breakFor writes the line break or cell separator of an element.
func (r *reader) breakFor(tag string, space bool) (bool, error) {
	switch tag {
	case "br", "tr", "li", "dt", "dd", "option":
		return true, r.out.write("\n")
	case "td", "th":
		if space {
			return true, nil
		}
		return true, r.out.write(" | ")
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "section",
		"article", "header", "footer", "main", "nav", "aside", "blockquote", "pre", "title", "hr",
		"form", "fieldset", "figure", "caption", "body", "dl":
		return true, r.out.write("\n\n")
	}
	return space, nil
}

// collapseSpace replaces each run of white space by one space, or by none if there is one before.
func collapseSpace(text string, space bool) string {
	var tidy strings.Builder
	for _, c := range text {
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
			if !space {
				tidy.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		tidy.WriteRune(c)
	}
	return tidy.String()
}
