package notice

import (
	"html/template"
	"strings"
)

// mailPage is the HTML part of a mail. It loads no resources.
//
//nolint:gochecknoglobals // parsed once
var mailPage = template.Must(template.New("mail").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Title}}</title></head>
<body style="font-family:sans-serif;color:#1f2937">
<h1 style="font-size:1.125rem">{{.Title}}</h1>
{{range .Lines}}<p style="margin:0.25rem 0">{{.}}</p>
{{end}}{{with .Link}}<p><a href="{{.}}">{{.}}</a></p>
{{end}}</body>
</html>
`))

// MailText returns the text of a mail.
func (m Message) MailText() string {
	if m.Link == "" {
		return m.Text + "\n"
	}
	return m.Text + "\n\n" + m.Link + "\n"
}

// MailHTML returns the HTML part of a mail: the title, the text and the link, with escaped values and without external resources.
func (m Message) MailHTML() (string, error) {
	var page strings.Builder
	err := mailPage.Execute(&page, struct {
		Title, Link string
		Lines       []string
	}{m.Title, m.Link, strings.Split(m.Text, "\n")})
	return page.String(), err
}
