package kuflowref_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	first  = "01970000-0000-7000-8000-0000000000a1"
	second = "01970000-0000-7000-8000-0000000000b2"
	inner  = "ku:process/" + first + "/document/" + second
)

// The strings are stored and read by other programs: they must not change.
func TestGolden(t *testing.T) {
	t.Parallel()
	a, b := uuid.MustParse(first), uuid.MustParse(second)
	var lines []string
	for _, r := range []kuflowref.Reference{
		kuflowref.File{URI: inner, Type: "application/pdf", Size: 11111, Name: "dummy.pdf"},
		kuflowref.File{URI: inner, Type: "image/svg+xml", Size: 0, Name: "a+b c.svg", OriginalName: "ä.docx"},
		kuflowref.File{URI: inner, Type: "text/plain; charset=utf-8", Size: 1 << 62, Name: `100% "x;y=z",\` + "\r\n\x00\x7f.txt"},
		kuflowref.File{URI: "elsewhere", Type: "", Name: ""},
		kuflowref.Principal{ID: a, Type: domain.PrincipalUser, Name: "Ñ u"},
		kuflowref.Principal{ID: a, Type: domain.PrincipalApplication, Name: "a@example.test"},
		kuflowref.Principal{ID: a, Type: domain.PrincipalSystem},
		kuflowref.Group{ID: a, Type: "OTHERS", Name: "Clerks"},
		kuflowref.Group{ID: a},
		kuflowref.BusinessArtifact{ID: a, DefinitionID: b, Title: "№ 1"},
		kuflowref.BusinessArtifact{ID: a, DefinitionID: b},
		kuflowref.DataSource{ID: a, Name: "(1)"},
		kuflowref.DataSource{ID: a},
		kuflowref.Process{ID: a, Name: "Loan 😀"},
		kuflowref.Process{ID: a},
	} {
		text := r.String()
		again, ok := kuflowref.Parse(text)
		require.True(t, ok, text)
		require.Equal(t, r, again)
		require.Equal(t, r.Kind(), again.Kind())
		require.True(t, plain(text), text)
		lines = append(lines, text)
	}
	for _, owner := range []kuflowref.Owner{
		kuflowref.OwnerProcess, kuflowref.OwnerBusinessArtifact,
		kuflowref.OwnerProcessActionValue, kuflowref.OwnerBusinessArtifactActionValue,
	} {
		u := kuflowref.URI{Owner: owner, OwnerID: a, DocumentID: b}
		again, ok := kuflowref.ParseURI(u.String())
		require.True(t, ok)
		require.Equal(t, u, again)
		lines = append(lines, u.String())
	}
	path := filepath.Join("testdata", "strings.golden")
	written := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(written), 0o600))
	}
	golden, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(golden), written)
}

// plain reports whether a text can stand in JSON and in a header without escapes.
func plain(text string) bool {
	for _, c := range text {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune(`"\<>&+,`, c) {
			return false
		}
	}
	return true
}

func TestFile(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	whole := kuflowref.File{URI: inner, Type: "application/pdf", Size: 500, Name: "a.pdf"}
	named := func(name string) kuflowref.File {
		return kuflowref.File{URI: inner, Type: "application/pdf", Size: 500, Name: name}
	}
	typed := func(mediaType string) kuflowref.File {
		return kuflowref.File{URI: inner, Type: mediaType, Size: 500, Name: "a"}
	}
	const head = "kuflow-file:uri=" + inner + ";type=application/pdf;size=500;"
	for text, want := range map[string]kuflowref.File{
		head + "name=a.pdf;": whole,
		head + "name=a.pdf":  whole,
		"KuFlow-FILE:uri=" + inner + ";type=application/pdf;size=500;name=a.pdf;":            whole,
		"kuflow-file:name=a.pdf;size=500;type=application/pdf;uri=" + inner:                  whole,
		"kuflow-file:;;name=a.pdf;size=500;nothing;type=application/pdf;uri=" + inner + ";;": whole,
		"kuflow-file:uri=" + strings.ReplaceAll(strings.ReplaceAll(inner, ":", "%3A"), "/", "%2f") +
			";type=application%2Fpdf;size=00500;name=a%2Epdf;": whole,
		head + "name=a b.pdf;":       named("a b.pdf"),
		head + "name=a+b.pdf;":       named("a b.pdf"),
		head + "name=a%20b%2Bc.pdf;": named("a b+c.pdf"),
		head + "name=a=b=c.pdf;":     named("a=b=c.pdf"),
		head + "name=a%3Db%3Bc.pdf;": named("a=b;c.pdf"),
		head + "name=%C3%A4.pdf;":    named("ä.pdf"),
		head + "name=ä.pdf;":         named("ä.pdf"),
		head + "name=%;":             named("%"),
		head + "name=100%.pdf;":      named("100%.pdf"),
		head + "name=%zz%4;":         named("%zz%4"),
		head + "name=%+1;":           named("% 1"),
		head + "name=%2525;":         named("%25"),
		head + "name=%ff%fe;":        named("\ufffd"),
		head + "name=%00;":           named("\x00"),
		head + "name=;":              named(""),
		head + "name=..%2F..%2Fetc;": named("../../etc"),
		"kuflow-file:uri=" + inner + ";type=image/svg+xml;size=500;name=a;":   typed("image/svg+xml"),
		"kuflow-file:uri=" + inner + ";type=image/svg%2Bxml;size=500;name=a;": typed("image/svg+xml"),
		"kuflow-file:uri=" + inner + ";type=;size=500;name=a;":                typed(""),
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			file, ok := kuflowref.ParseFile(text)
			require.True(t, ok)
			require.Equal(t, want, file)
			again, ok := kuflowref.ParseFile(file.String())
			require.True(t, ok)
			require.Equal(t, file, again)
			document, ok := kuflowref.ParseDocumentURI(text)
			require.True(t, ok)
			require.Equal(t, inner, document.String())
		})
	}
	for _, text := range []string{
		"", "kuflow-file", "kuflow-file:", "kuflow-file:;", "a.pdf", " " + head + "name=a;", "kuflow-files:" + head[12:] + "name=a;",
		"\u212auflow-file:uri=x;type=y;size=1;name=z;", // The Kelvin sign folds to k.
		head, // No name.
		"kuflow-file:uri=" + inner + ";type=a/b;name=a;", "kuflow-file:uri=" + inner + ";size=1;name=a;", "kuflow-file:type=a/b;size=1;name=a;",
		"kuflow-file:uri=;type=a/b;size=1;name=a;",
		"kuflow-file:uri=" + inner + ";typea/b;size=1;name=a;",
		"kuflow-file:uri=" + inner + ";Type=a/b;size=1;name=a;",
		"kuflow-file:uri=x;type=a/b;size=;name=a;", "kuflow-file:uri=x;type=a/b;size=ABC;name=a;", "kuflow-file:uri=x;type=a/b;size=-1;name=a;",
		"kuflow-file:uri=x;type=a/b;size=+1;name=a;", "kuflow-file:uri=x;type=a/b;size= 1;name=a;", "kuflow-file:uri=x;type=a/b;size=1.0;name=a;",
		"kuflow-file:uri=x;type=a/b;size=1e3;name=a;", "kuflow-file:uri=x;type=a/b;size=9223372036854775808;name=a;",
		"kuflow-file:uri=x;type=a/b;size=٣;name=a;",
		head + "name=a;uri=x;", head + "name=a;name=b;", head + "name=a;size=500;", head + "name=a;%75ri=x;",
	} {
		t.Run("not "+text, func(t *testing.T) {
			t.Parallel()
			file, ok := kuflowref.ParseFile(text)
			require.False(t, ok)
			require.Zero(t, file)
			found, ok := kuflowref.Parse(text)
			require.False(t, ok)
			require.Nil(t, found)
		})
	}
}

// Unknown parts are written back, in order.
func TestUnknownPartsAreKept(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"kuflow-file:uri=x;type=a/b;size=1;name=a;z=%3D;y=;y=2;=;",
		"kuflow-principal:id=" + first + ";type=USER;name=a;email=a@example.test;",
		"kuflow-group:id=" + first + ";type=;name=;x=1;",
		"kuflow-business-artifact:id=" + first + ";definitionId=" + second + ";x=1;",
		"kuflow-data-source:id=" + first + ";x=1;",
		"kuflow-process:id=" + first + ";x=1;",
	} {
		r, ok := kuflowref.Parse(text)
		require.True(t, ok, text)
		require.Equal(t, text, r.String())
	}
	r, ok := kuflowref.Parse("kuflow-process:b+c=d+e;id=" + strings.ToUpper(first))
	require.True(t, ok)
	require.Equal(t, "kuflow-process:id="+first+";b%20c=d%20e;", r.String())
}

func TestOtherKinds(t *testing.T) {
	t.Parallel()
	a, b := uuid.MustParse(first), uuid.MustParse(second)
	for text, want := range map[string]kuflowref.Reference{
		"kuflow-principal:id=" + first + ";type=USER;name=N%20N%3B;":             kuflowref.Principal{ID: a, Type: domain.PrincipalUser, Name: "N N;"},
		"KUFLOW-PRINCIPAL:name=;type=SYSTEM;id=" + strings.ToUpper(first):        kuflowref.Principal{ID: a, Type: domain.PrincipalSystem},
		"kuflow-group:id=" + first:                                               kuflowref.Group{ID: a},
		"kuflow-group:name=A+B;type=OTHERS;id=" + first:                          kuflowref.Group{ID: a, Type: "OTHERS", Name: "A B"},
		"kuflow-business-artifact:definitionId=" + second + ";id=" + first + ";": kuflowref.BusinessArtifact{ID: a, DefinitionID: b},
		"kuflow-data-source:id=" + first + ";name=x":                             kuflowref.DataSource{ID: a, Name: "x"},
		"Kuflow-Process:name=x;id=" + first:                                      kuflowref.Process{ID: a, Name: "x"},
	} {
		got, ok := kuflowref.Parse(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{
		"kuflow-principal:id=" + first + ";type=USER;", "kuflow-principal:id=" + first + ";name=a;", "kuflow-principal:type=USER;name=a;",
		"kuflow-principal:id=" + first + ";type=user;name=a;", "kuflow-principal:id=" + first + ";type=ROBOT;name=a;",
		"kuflow-principal:id=x;type=USER;name=a;",
		"kuflow-group:name=a;", "kuflow-group:id=", "kuflow-group:id=" + first + ";id=" + first,
		"kuflow-business-artifact:id=" + first, "kuflow-business-artifact:definitionId=" + first,
		"kuflow-data-source:name=x", "kuflow-process:name=x",
		// Other forms of a UUID.
		"kuflow-process:id={" + first + "}", "kuflow-process:id=urn:uuid:" + first, "kuflow-process:id=" + strings.ReplaceAll(first, "-", ""),
		"kuflow-process:id=" + first + " ", "kuflow-process:id" + first, "kuflow-processes:id=" + first, "kuflow:id=" + first,
	} {
		got, ok := kuflowref.Parse(text)
		require.False(t, ok, text)
		require.Nil(t, got)
	}
	_, ok := kuflowref.ParseGroup("kuflow-process:id=" + first)
	require.False(t, ok, "one kind is not read as another")
	kind, ok := kuflowref.KindOf("kuflow-GROUP:")
	require.True(t, ok)
	require.Equal(t, kuflowref.KindGroup, kind)
}

func TestURI(t *testing.T) {
	t.Parallel()
	want := kuflowref.URI{Owner: kuflowref.OwnerProcess, OwnerID: uuid.MustParse(first), DocumentID: uuid.MustParse(second)}
	for _, text := range []string{inner, "KU" + inner[2:], "ku:process/" + strings.ToUpper(first) + "/document/" + second} {
		for _, parse := range []func(string) (kuflowref.URI, bool){kuflowref.ParseURI, kuflowref.ParseDocumentURI} {
			got, ok := parse(text)
			require.True(t, ok, text)
			require.Equal(t, want, got)
		}
	}
	for _, text := range []string{
		"", "ku", "ku:", "process/" + first + "/document/" + second, "http:" + inner[3:], "ku::" + inner[3:], "ku:/" + inner[3:],
		"ku:process", "ku:process/" + first, "ku:process/" + first + "/document", "ku:process/" + first + "/document/",
		"ku:process/" + first + "/file/" + second, "ku:process/" + first + "/document/" + second + "/", inner + "?x", inner + ";", inner + " ", " " + inner,
		"ku:Process/" + first + "/document/" + second, "ku:user/" + first + "/document/" + second, "ku:process//document/" + second,
		"ku:process/../" + first + "/document/" + second, "ku:process/1/document/2", "ku:process/" + first + "/document/" + second[:35],
		"kuflow-process:id=" + first, "kuflow-file:uri=" + inner, "kuflow-file:uri=elsewhere;type=a/b;size=1;name=a;",
	} {
		for _, parse := range []func(string) (kuflowref.URI, bool){kuflowref.ParseURI, kuflowref.ParseDocumentURI} {
			got, ok := parse(text)
			require.False(t, ok, text)
			require.Zero(t, got)
		}
	}
}

func TestAddressesOfResources(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse(first)
	for _, kind := range []kuflowref.KindOfResource{
		kuflowref.ResourceProcess, kuflowref.ResourceProcessItem, kuflowref.ResourceBusinessArtifact,
	} {
		at := kuflowref.Resource{Kind: kind, ID: id}
		require.Equal(t, "ku:"+string(kind)+"/"+first, at.String())
		for _, text := range []string{at.String(), "KU:" + string(kind) + "/" + strings.ToUpper(first)} {
			got, ok := kuflowref.ParseResource(text)
			require.True(t, ok, text)
			require.Equal(t, at, got)
		}
	}
	for _, text := range []string{
		"", "ku:", first, "ku:process/", "ku:process/x", "ku:process/" + first + "/", "ku:robot/" + first,
		"xx:process/" + first, "ku:process/{" + first + "}", inner,
	} {
		_, ok := kuflowref.ParseResource(text)
		require.False(t, ok, text)
	}
}
