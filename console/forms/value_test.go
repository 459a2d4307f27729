package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// Values that cannot be changed are text: no input looks editable and ignores the person.
func TestLockedValuesAreText(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"name":{"type":"string","title":"Name"},"notes":{"type":"string","title":"Notes"},"amount":{"type":"number","title":"Amount"},
			"married":{"type":"boolean","title":"Married"},"unknown":{"type":"boolean","title":"Unknown"},
			"size":{"title":"Size","oneOf":[{"const":"S","title":"Small"},{"const":"L","title":"Large"}]},
			"days":{"type":"array","title":"Days","uniqueItems":true,"items":{"oneOf":[{"const":1,"title":"Monday"},{"const":2,"title":"Tuesday"}]}},
			"born":{"type":"string","format":"date","title":"Born"},"at":{"type":"string","format":"date-time","title":"At"},
			"rows":{"type":"array","title":"Rows","items":{"type":"object","properties":{"to":{"type":"string","title":"To"},"paid":{"type":"boolean","title":"Paid"}}}},
			"tags":{"type":"array","title":"Tags","items":{"type":"string"}},
			"any":{"title":"Any"}}}`),
		value: json.RawMessage(`{"name":"Carol","notes":"one\ntwo","amount":12.90,"married":true,"size":"L","days":[1,2],"born":"1990-02-01",
			"at":"2026-03-01T12:00:00Z","rows":[{"to":"Bob","paid":false}],"tags":["a","b"],"any":{"x":1}}`),
		readOnly: true,
	}
	b := m.openForm(t)
	require.Zero(t, b.Count("form input:not([type=hidden]), form select, form textarea, form button:not([hidden]):not(.visually-hidden)"))
	text := browsertest.Eval[string](b, `[...document.querySelectorAll("form output")].map((o) => o.id + "=" + o.innerText.trim()).join("; ")`)
	for _, want := range []string{
		"f-name=Carol;", "f-notes=one\ntwo;", "f-amount=12.90;", "f-married=Yes;", "f-unknown=No value;", "f-size=Large;", "f-days=Monday\nTuesday;",
		"f-born=Thu, Feb 1, 1990", "f-at=Sun, Mar 1, 2026", "f-rows-0-to=Bob;", "f-rows-0-paid=No;", "f-tags=a\nb;", "f-any-x-name=x;", "f-any-x=1;",
	} {
		require.Contains(t, text+";", want)
	}
	b.RequireAccessible()
	b.RequireNoSidewaysScroll()
}
